internal import ControlAPI
internal import ControlClient
internal import JSONRPC

extension Command {
  static let doctor = Command(
    "doctor",
    summary: "check everything that an authenticator needs, and print remedies",
    details: """
      One line for each check: pass, warning, fail or skipped, the name of the check, the finding, the name of
      the cause; below it the remedy. The checks of the socket, of the process that listens there and of the
      systemd units need no daemon. The daemon makes the others; results that need the network are at most one
      minute old. The exit code is 0 unless a check failed, else that of the first failed check: 3 for the
      socket, 10 for an unreachable server.
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
      return near + units + DoctorFinding.skipped("the daemon cannot be reached")
    }
    do { return near + units + (try call(ServiceDoctor()).checks.map { DoctorFinding($0) }) } catch {
      switch error {
      case .interrupted: throw error
      case .refused(let refusal) where refusal.isOne(of: .methodNotFound):
        return near + units + DoctorFinding.skipped("the running daemon is older than authctl")
      case .refused(let refusal):
        return near + units + [DoctorFinding(failing: refusal.message, error.exitCode)]
      case .failed(let complaint):
        return near + units + [DoctorFinding(failing: complaint.message, error.exitCode)]
      case .told: return near + units
      }
    }
  }
}

/// A check with the exit code of the command if the check fails.
struct DoctorFinding {
  let check: DoctorReport.Check
  let exitCode: ExitCode

  init(_ check: DoctorReport.Check, exitCode: ExitCode? = nil) {
    self.check = check
    self.exitCode = exitCode ?? check.name.choice.flatMap { Self.exitCodes[$0] } ?? .refused
  }

  /// Creates the finding for a daemon that did not return its checks.
  init(failing message: SafeText, _ exitCode: ExitCode) {
    self.init(
      .init(
        local: "daemon",
        .fail,
        message.text,
        remedy: "\"journalctl -u mfad -n 20\" shows the reason"
      ),
      exitCode: exitCode
    )
  }

  /// Returns the finding with another remedy.
  func remedied(_ remedy: String?) -> DoctorFinding {
    DoctorFinding(check.remedied(remedy), exitCode: exitCode)
  }

  /// Returns all checks of the daemon as skipped.
  static func skipped(_ reason: String) -> [DoctorFinding] {
    DoctorReport.Name.allCases.map { DoctorFinding(.init($0, .skipped, reason)) }
  }

  private static let exitCodes: [DoctorReport.Name: ExitCode] = [
    .configuration: .misconfigured, .key: .locked, .courier: .platformUnreachable,
    .host: .platformUnreachable, .issuer: .platformUnreachable, .platform: .platformUnreachable,
  ]
}

/// Checks in text form, with colours on a terminal.
private enum DoctorText {
  /// `columns` is the width of the terminal, `nil` without one.
  static func lines(_ report: DoctorReport, hasColours: Bool, columns: Int?) -> [SafeText] {
    let checks = merged(report.checks)
    let width = checks.map(\.name.name.count).max() ?? 0
    let margin = ("" as SafeText).padded(to: 7 + 2 + width + 2)
    func filled(_ text: SafeText) -> [SafeText] {
      columns.map { Wrapping.lines(text, width: max(24, $0 - margin.columns)) } ?? [text]
    }
    return checks.flatMap { check in
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

  /// Merges consecutive checks that were skipped for the same reason into one, such as `13 checks`.
  private static func merged(_ checks: [DoctorReport.Check]) -> [DoctorReport.Check] {
    var groups: [(check: DoctorReport.Check, count: Int)] = []
    for check in checks {
      if let last = groups.last?.check, last.result == .skipped, check.result == .skipped,
        last.message == check.message
      {
        groups[groups.count - 1].count += 1
      } else {
        groups.append((check, 1))
      }
    }
    return groups.map { check, count in
      count == 1 ? check : .init(local: "\(count) checks", .skipped, check.message)
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
