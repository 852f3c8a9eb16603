import EventLoop
import JSON
import Usage
import WebAddress

/// What a command has to say, for a person and for a program.
struct Report {
  let lines: [String]
  let json: JSON
  var isSuccess = true
  /// Why it did not succeed.
  var problem: String?
}

/// A command that acts on a sandbox that runs; its stored properties are its arguments.
protocol RunningCommand: ProgramOptions {
  var common: CommonArguments { get set }

  @EventLoop
  func act(on sandbox: RunningSandbox) async throws -> Report
}

/// What every such command is told.
struct CommonArguments: Sendable {
  fileprivate var url: WebURL?
  fileprivate(set) var isJSON = false
  fileprivate var wantsHelp = false
}

extension ProgramUsage where Values: RunningCommand {
  /// How a command is used, with what every one takes.
  init(
    command name: String,
    _ summary: String,
    _ purpose: String,
    operands: [ProgramOperand<Values>] = [],
    options: [ProgramOption<Values>] = []
  ) {
    let words = operands.map(\.name) + ["[OPTION]…"]
    self.init(
      "pingone-sandbox \(name)",
      forms: [words.joined(separator: " ")],
      summary: summary,
      purpose: purpose,
      operands: operands,
      options: options + [
        ProgramOption("--url", takes: "URL", "the sandbox, where several of yours run") {
          (command, text) throws(UsageError) in
          guard let url = WebURL(text) else {
            throw UsageError("--url takes an address as http://127.0.0.1:8080, not \"\(text)\"")
          }
          command.common.url = url
        },
        .flag("--json", \.common.isJSON, "print a line of JSON"),
        .help(\.common.wantsHelp),
      ],
      exitCodes: [(0, "done"), (1, "failed"), (2, "wrong usage")]
    )
  }
}

extension RunningCommand {
  var wantsHelp: Bool { common.wantsHelp }

  static var command: ProgramCommand {
    ProgramCommand(usage) { usage.run($0) { command in ProgramLoop.run { await command.exitCode() } } }
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
      usage.complain("\(error)")
      return 1
    }
  }
}

extension Int {
  /// The number that an option is given.
  init(_ text: String, for option: String) throws(UsageError) {
    guard let number = Int(text) else { throw UsageError("\(option) takes a number, not \"\(text)\"") }
    self = number
  }
}
