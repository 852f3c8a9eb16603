internal import ControlAPI
internal import ControlClient
internal import JSONRPC

extension Command {
  static let doctor = Command(
    "doctor",
    summary: "look at all that an authenticator needs, and say what to do where something is wrong",
    details: """
      One line for each check: pass, warning, fail or skipped, what was looked at, what was found, the name of the cause;
      below it what to do. What lies on this side is looked at without a daemon too: the socket, who listens, the units of
      systemd. The rest is the daemon's to tell; what asks the network is at most a minute old. The exit code is 0
      unless a check failed, and is otherwise that of the first one: 3 for the socket, 10 for what cannot be reached.
      """,
    examples: [
      "authctl doctor",
      "authctl doctor --json",
    ]
  ) { (session) throws(Failure) in
    let findings = try session.examine().map { $0.remedied($0.check.remedy.map(session.output.advice)) }
    try session.output.result(Reply(DoctorReport(findings.map(\.check)))) {
      DoctorText.lines(
        $0,
        hasColours: session.output.hasColours,
        columns: session.output.isTerminal ? session.output.width : nil
      )
    }
    if let failed = findings.first(where: { $0.check.result == .fail }) { throw .told(failed.exitCode) }
  }
}

extension Session {
  fileprivate func examine() throws(Failure) -> [DoctorFinding] {
    let near = try examineSocket()
    let units = try examineUnits()
    guard near.allSatisfy({ $0.check.result != .fail }) else {
      return near + units + DoctorFinding.skipped("the daemon cannot be asked")
    }
    do { return near + units + (try call(ServiceDoctor()).checks.map { DoctorFinding($0) }) } catch {
      switch error {
      case .interrupted: throw error
      case .refused(let refusal) where refusal.isOne(of: .methodNotFound):
        return near + units + DoctorFinding.skipped("the daemon is older than this command")
      case .refused(let refusal):
        return near + units + [DoctorFinding(failing: refusal.message, error.exitCode)]
      case .failed(let complaint):
        return near + units + [DoctorFinding(failing: complaint.message, error.exitCode)]
      case .told: return near + units
      }
    }
  }
}

/// A check, and how a command ends that it keeps from being well.
struct DoctorFinding {
  let check: DoctorReport.Check
  let exitCode: ExitCode

  init(_ check: DoctorReport.Check, exitCode: ExitCode? = nil) {
    self.check = check
    self.exitCode = exitCode ?? check.name.choice.flatMap { Self.exitCodes[$0] } ?? .refused
  }

  /// What kept the daemon from telling what it found.
  init(failing message: SafeText, _ exitCode: ExitCode) {
    self.init(
      .init(
        local: "daemon",
        .fail,
        message.text,
        remedy: "\"journalctl -u mfad -n 20\" says what it waits for"
      ),
      exitCode: exitCode
    )
  }

  /// The same, with something else to do about it.
  func remedied(_ remedy: String?) -> DoctorFinding {
    DoctorFinding(check.remedied(remedy), exitCode: exitCode)
  }

  /// Every check of the daemon's, when it makes none.
  static func skipped(_ reason: String) -> [DoctorFinding] {
    DoctorReport.Name.allCases.map { DoctorFinding(.init($0, .skipped, reason)) }
  }

  private static let exitCodes: [DoctorReport.Name: ExitCode] = [
    .configuration: .misconfigured, .key: .locked, .courier: .platformUnreachable,
    .host: .platformUnreachable, .issuer: .platformUnreachable, .platform: .platformUnreachable,
  ]
}

/// Checks as a person reads them: each in words, which on a terminal have colours too.
private enum DoctorText {
  /// `columns` is how wide the terminal is, if one reads it.
  static func lines(_ report: DoctorReport, hasColours: Bool, columns: Int?) -> [SafeText] {
    let width = report.checks.map(\.name.name.count).max() ?? 0
    let margin = ("" as SafeText).padded(to: 7 + 2 + width + 2)
    func filled(_ text: SafeText) -> [SafeText] {
      columns.map { Wrapping.lines(text, width: max(24, $0 - margin.columns)) } ?? [text]
    }
    return report.checks.flatMap { check in
      let result: SafeText = "\(check.result.name)"
      let word = result.padded(to: 7)
      let shown = hasColours ? colour(check.result.choice, word) : word
      let name: SafeText = "\(check.name.name)"
      let cause: SafeText = check.cause.map { " (\($0))" } ?? ""
      let message = SafeText(sentence: check.message)
      let found = filled("\(message)\(cause)")
      let remedy = check.remedy.map { filled("remedy: \($0)") } ?? []
      let head: SafeText = "\(shown)  \(name.padded(to: width))  \(found.first ?? "")"
      return [head] + (found.dropFirst() + remedy).map { "\(margin)\($0)" }
    }
  }

  private static func colour(_ result: DoctorReport.Result?, _ word: SafeText) -> SafeText {
    switch result {
    case .pass: "\u{1B}[32m\(word)\u{1B}[0m"
    case .warning: "\u{1B}[33m\(word)\u{1B}[0m"
    case .fail: "\u{1B}[31m\(word)\u{1B}[0m"
    case .skipped, nil: "\u{1B}[2m\(word)\u{1B}[0m"
    }
  }
}
