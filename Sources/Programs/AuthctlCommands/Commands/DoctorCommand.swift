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
