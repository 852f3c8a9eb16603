internal import ControlAPI
internal import JSONRPC

/// A check, and how a command ends that it keeps from being well.
struct DoctorFinding {
  let check: DoctorReport.Check
  let exitCode: ExitCode

  init(_ check: DoctorReport.Check, exitCode: ExitCode? = nil) {
    self.check = check
    self.exitCode = exitCode ?? check.name.choice.flatMap { Self.exitCodes[$0] } ?? .refused
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
