internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Session {
  /// Checks that the daemon listens at the socket and has this program's version.
  func examineSocket() throws(Failure) -> [DoctorFinding] {
    let socket = "socket", owner = "owner", daemon = "daemon"
    do { _ = try self.daemon() } catch {
      guard case .failed(let complaint) = error else { throw error }
      let isForeign = complaint.reason == .notTheDaemon
      let failed = DoctorReport.Check(
        local: isForeign ? owner : socket,
        .fail,
        complaint.message.text,
        cause: complaint.reason.rawValue.lowercased().replacing("_", with: "-"),
        remedy: isForeign
          ? "do not trust the process that listens there: \"ss -xlp\" shows it" : complaint.hint.text
      )
      let other = DoctorReport.Check(
        local: isForeign ? socket : owner,
        isForeign ? .pass : .skipped,
        isForeign ? "a process listens there" : "no connection to check"
      )
      let finding = DoctorFinding(failed, exitCode: error.exitCode)
      return isForeign ? [DoctorFinding(other), finding] : [finding, DoctorFinding(other)]
    }
    let reached = [
      DoctorFinding(.init(local: socket, .pass, "\(socketPath ?? "it") accepts connections")),
      DoctorFinding(.init(local: owner, .pass, "only the daemon can listen there")),
    ]
    return reached + [try examineDaemon(daemon)]
  }

  private func examineDaemon(_ name: String) throws(Failure) -> DoctorFinding {
    let status: ServiceStatusReport
    do { status = try call(ServiceStatus()) } catch {
      let (message, cause, remedy): (SafeText, String, SafeText?) =
        switch error {
        case .refused(let refusal): (refusal.message, refusal.error.reason, refusal.hint)
        case .failed(let complaint): (complaint.message, complaint.reason.rawValue, complaint.hint)
        case .told, .interrupted: throw error
        }
      let check = DoctorReport.Check(
        local: name,
        .fail,
        message.text,
        cause: cause.lowercased().replacing("_", with: "-"),
        remedy: remedy?.text
      )
      return DoctorFinding(check, exitCode: error.exitCode)
    }
    guard status.version == Version.text else {
      let words = "authctl has version \(Version.text), the running mfad \(status.version)"
      let remedy = "\"sudo systemctl restart mfad\" starts the installed version"
      return DoctorFinding(.init(local: name, .warning, words, cause: "version", remedy: remedy))
    }
    let age = Describe.duration(seconds: status.uptime).text
    return DoctorFinding(.init(local: name, .pass, "mfad \(status.version) answers, up \(age)"))
  }
}
