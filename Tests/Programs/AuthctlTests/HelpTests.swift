import AuthctlCommands
import ControlClient
import Testing

@Suite("help")
struct HelpTests {
  @Test("each example of the help is a valid command line", arguments: Command.all.flatMap(\.examples))
  func examples(example: SafeText) throws {
    // Words before authctl and after a bar belong to the shell.
    let words = example.text.split(separator: " ").drop { $0 != "authctl" }.dropFirst()
    let line = words.prefix { !["|", ">", "<", "&&"].contains($0) }.map(String.init)
    guard case .run = try CommandLineReader.read(line) else { return #expect(Bool(false), "\(example.text)") }
  }
}
