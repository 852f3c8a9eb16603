package import ControlAPI
package import CourierProtocol
package import JSONRPC
internal import Journal

extension CourierFailure: NamedError {
  /// Why no response came, or what was wrong with the one that did.
  package var cause: ErrorCause {
    switch self {
    case .unresolved: .dns
    case .refused: .refused
    case .unreachable: .brokenOff
    case .timeout: .timeout
    case .tls: .tls
    case .refusedOrigin, .refusedAddress: .notAllowed
    case .cancelled, .busy, .courierGone: .courierUnavailable
    case .tooLarge, .malformed: .malformed
    }
  }

  /// The error that a caller hears.
  package var rpcError: RPCError {
    cause == .malformed ? .serverError.because(cause) : .noConnectivity.because(cause)
  }
}

extension CourierFailure: JournalWord {
}
