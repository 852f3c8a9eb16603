import AuthctlCommands
import ControlClient
import JSONRPC
import Testing
import Usage

@Suite("command line parsing")
struct CommandLineTests {
  private func run(_ words: String...) throws -> (Command, Arguments) {
    guard case .run(let command, let arguments) = try CommandLineReader.read(words) else {
      throw Unexpected()
    }
    return (command, arguments)
  }

  struct Unexpected: Error {}

  @Test("common options may precede or follow the command")
  func commonOptions() throws {
    for words in [["--json", "--socket", "/s", "otp", "a1"], ["otp", "--socket=/s", "a1", "--json"]] {
      guard case .run(let command, let arguments) = try CommandLineReader.read(words) else {
        throw Unexpected()
      }
      #expect(command.name == "otp" && arguments.words == ["a1"])
      #expect(arguments.has("--json") && arguments["--socket"] == "/s" && !arguments.has("--next"))
    }
  }

  @Test("a command of two words takes precedence over one of one word")
  func twoWords() throws {
    #expect(try run("pairings", "approve", "p1").0.name == "pairings approve")
    #expect(try run("pairings").0.name == "pairings")
    #expect(try run("notifications", "process", "-").1.words == ["-"])
  }

  @Test("a repeatable option keeps all values in order")
  func repeated() throws {
    let arguments = try run("login", "--set", "a=b=c", "--set=d=").1
    #expect(arguments.all("--set") == ["a=b=c", "d="])
  }

  @Test("words after -- are not options")
  func hyphens() throws {
    #expect(try run("pair", "--", "--key").1.words == ["--key"])
    #expect(try run("pair", "-").1.words == ["-"])
  }

  @Test("a short option equals its long form")
  func short() throws {
    #expect(try run("otp", "-q").1.has("--quiet"))
  }

  @Test(
    "help is recognized in each position",
    arguments: [
      ["--help"], ["-h"], ["help"], ["otp", "--help"], ["otp", "a", "b", "-h"],
      ["help", "pairings", "approve"],
    ]
  )
  func help(words: [String]) throws {
    guard case .help(let command) = try CommandLineReader.read(words) else { throw Unexpected() }
    #expect(command?.name == (words.contains("otp") ? "otp" : words.count == 3 ? "pairings approve" : nil))
  }

  @Test(
    "an invalid command line is a usage error",
    arguments: [
      [], ["nothing"], ["help", "nothing"], ["otp", "--nope"], ["otp", "--next=1"],
      ["otp", "--next", "--next"],
      ["otp", "a", "b"], ["configure"], ["--socket"], ["--socket", "--json", "otp"], ["approve", "--number"],
      ["pairings", "other"], ["--json", "--json", "otp"], ["--", "otp"],
    ]
  )
  func wrong(words: [String]) {
    let failure = #expect(throws: Failure.self) { try CommandLineReader.read(words) }
    #expect(failure?.exitCode == .wrongUsage)
  }

  @Test(
    "a similar command or option is suggested",
    arguments: [
      (["acounts"], "authctl accounts"), (["acounts", "remove", "a1"], "authctl accounts"),
      (["pairing", "aprove"], "authctl pairings approve"), (["otp", "--nxt"], "--next"),
      (["--jsno", "otp"], "--json"),
    ]
  )
  func meant(words: [String], meant: String) {
    let failure = #expect(throws: Failure.self) { try CommandLineReader.read(words) }
    guard case .failed(let complaint)? = failure else { return #expect(Bool(false), "\(words)") }
    #expect(complaint.hint.text.contains(meant))
  }

  @Test("command names are unique")
  func table() {
    #expect(Set(Command.all.map(\.name)).count == Command.all.count)
  }
}
