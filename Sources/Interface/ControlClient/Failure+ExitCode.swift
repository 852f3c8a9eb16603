internal import ControlAPI
package import JSONRPC

extension Failure {
  package var exitCode: ExitCode {
    switch self {
    case .refused(let refusal): refusal.error.exitCode
    case .failed(let complaint): complaint.reason.exitCode
    case .told(let code): code
    case .interrupted: .interrupted
    }
  }
}

extension Failure.Reason {
  package var exitCode: ExitCode {
    switch self {
    case .auditBroken, .cancelled, .signOnFailed, .pairingFailed, .pushTestFailed, .output, .toolMissing:
      .refused
    case .usage: .wrongUsage
    case .unreachable: .unreachable
    case .permissionDenied: .permissionDenied
    case .notFound: .notFound
    case .denied: .denied
    case .timedOut: .timedOut
    case .platformUnreachable: .platformUnreachable
    case .notTheDaemon: .notTheDaemon
    case .expired: .expired
    case .alreadyAnswered: .answeredElsewhere
    case .ambiguous: .ambiguous
    }
  }
}

extension RPCError {
  /// How a command ends that an error of this code kept from everything.
  package static func exitCode(of code: Int) -> ExitCode {
    documented.first { $0.code == code }?.exitCode ?? .refused
  }
}
