import EventLoop
import JSON
import Usage
import WebAddress

/// The output of a command, for a user and for a program.
struct Report {
  let lines: [String]
  let json: JSON
  var isSuccess = true
  /// Reason of a failure.
  var problem: String?
}

/// A command that acts on a running sandbox; its stored properties are its arguments.
protocol RunningCommand: ProgramOptions {
  var common: CommonArguments { get }

  @EventLoop
  func act(on sandbox: RunningSandbox) async throws -> Report
}

/// The options that every such command accepts.
struct CommonArguments: Sendable {
  fileprivate let url: WebURL?
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    url = try arguments.value("--url", "a URL such as http://127.0.0.1:8080") { WebURL($0) }
    isJSON = arguments.has("--json")
  }
}

extension Arguments {
  /// Returns the numeric value of an option, `nil` without the option.
  func number(_ option: String) throws(UsageError) -> Int? { try value(option, "a number") { Int($0) } }

  /// Returns the first word, which is required.
  func needed(_ name: String) throws(UsageError) -> String {
    guard let word = words.first else { throw UsageError("\(name) is missing") }
    return word
  }
}

extension ProgramUsage {
  /// Describes the usage of a command and adds the options that every command accepts.
  init(
    command name: String,
    _ summary: String,
    _ purpose: String,
    operands: [String] = [],
    choices: [String] = [],
    options: [Option] = []
  ) {
    let words = operands + ["[OPTION]…"]
    self.init(
      "pingone-sandbox \(name)",
      forms: [words.joined(separator: " ")],
      summary: summary,
      purpose: purpose,
      operands: operands,
      choices: choices,
      options: options + [
        Option("--url", takes: "URL", "URL of the sandbox, if you run several"),
        Option("--json", "print a line of JSON"),
        .help,
      ],
      exitCodes: [(0, "done"), (1, "failed"), (2, "wrong usage")]
    )
  }
}

extension RunningCommand {
  static var command: ProgramCommand {
    ProgramCommand(usage) { run($0) { command in ProgramLoop.run { await command.exitCode() } } }
  }

  @EventLoop
  private func exitCode() async -> Int32 {
    let usage = Self.usage
    do {
      let report = try await act(on: RunningSandbox(url: common.url))
      let lines = common.isJSON ? [report.json.text] : report.lines
      if let problem = report.problem { usage.complain(problem) }
      let written = usage.say(lines.map { $0 + "\n" }.joined())
      return report.isSuccess ? written : 1
    } catch {
      usage.complain("\(error)", hint: (error as? CommandFailure)?.hint)
      return 1
    }
  }
}
