import EventLoop
import JSON
import Usage

/// What a command has to say, for a person and for a program.
struct Report {
  let lines: [String]
  let json: JSON
  var isSuccess = true
}

/// A command that acts on a sandbox that runs; its stored properties are its arguments.
protocol RunningCommand: Sendable {
  init()
  var common: CommonArguments { get set }
  static var usage: ProgramUsage<Self> { get }

  /// Refuses arguments that do not go together.
  func check() throws(UsageError)

  @EventLoop
  func act(on sandbox: RunningSandbox) async throws -> Report
}

/// What every such command is told.
struct CommonArguments: Sendable {
  fileprivate var url: String?
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
        .text("--url", "URL", \.common.url, "the sandbox, where several of yours run"),
        .flag("--json", \.common.isJSON, "print a line of JSON"),
        .flag("--help", short: "-h", \.common.wantsHelp, "print this text"),
      ],
      exitCodes: [(0, "done"), (1, "failed"), (2, "wrong usage")]
    )
  }
}

extension RunningCommand {
  func check() throws(UsageError) {}

  static var command: ProgramCommand { ProgramCommand(usage) { run($0) } }

  private static func run(_ arguments: [String]) -> Int32 {
    var command = Self()
    do {
      try usage.read(arguments, into: &command)
      if command.common.wantsHelp { return usage.say(usage.help) }
      try command.check()
    } catch {
      usage.complain(error)
      return 2
    }
    return ProgramLoop.run { [command] in await command.exitCode() }
  }

  @EventLoop
  private func exitCode() async -> Int32 {
    let usage = Self.usage
    do {
      let report = try await act(on: RunningSandbox(url: common.url))
      let lines = common.isJSON ? [report.json.text] : report.lines
      let written = usage.say(lines.map { $0 + "\n" }.joined())
      return report.isSuccess ? written : 1
    } catch {
      usage.complain("\(error)")
      return 1
    }
  }
}
