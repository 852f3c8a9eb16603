import AuthctlCommands
import ControlClient
import JSONRPC
import Testing
import Usage

@Suite("Command lines")
struct CommandLineTests {
  private func run(_ words: String...) throws -> (Command, Arguments) {
    guard case .run(let command, let arguments) = try CommandLineReader.read(words) else {
      throw Unexpected()
    }
    return (command, arguments)
  }

  struct Unexpected: Error {}

  @Test("common options stand before the command or after it")
  func commonOptions() throws {
    for words in [["--json", "--socket", "/s", "otp", "a1"], ["otp", "--socket=/s", "a1", "--json"]] {
      guard case .run(let command, let arguments) = try CommandLineReader.read(words) else {
        throw Unexpected()
      }
      #expect(command.name == "otp" && arguments.words == ["a1"])
      #expect(arguments.has("--json") && arguments["--socket"] == "/s" && !arguments.has("--next"))
    }
  }

  @Test("a command of two words is taken before one of one word")
  func twoWords() throws {
    #expect(try run("pairings", "approve", "p1").0.name == "pairings approve")
    #expect(try run("pairings").0.name == "pairings")
    #expect(try run("notifications", "process", "-").1.words == ["-"])
  }

  @Test("an option that repeats keeps all its values in their order")
  func repeated() throws {
    let arguments = try run("login", "--set", "a=b=c", "--set=d=").1
    #expect(arguments.all("--set") == ["a=b=c", "d="])
  }

  @Test("after two hyphens nothing is an option")
  func hyphens() throws {
    #expect(try run("pair", "--", "--key").1.words == ["--key"])
    #expect(try run("pair", "-").1.words == ["-"])
  }

  @Test("the short form stands for the long one")
  func short() throws {
    #expect(try run("otp", "-q").1.has("--quiet"))
  }

  @Test(
    "help is understood everywhere",
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
    "a command line that does not fit is wrong usage",
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
    "what was probably meant is said",
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

  @Test("the table names each command once")
  func table() {
    #expect(Set(Command.all.map(\.name)).count == Command.all.count)
  }
}
