internal import ControlAPI
internal import ControlClient
internal import JSONRPC

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
