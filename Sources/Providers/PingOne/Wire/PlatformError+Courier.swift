package import CourierProtocol
internal import ControlAPI
package import JSONRPC

extension CourierFailure: NamedError {
  /// The error that a caller hears.
  package var rpcError: RPCError { PlatformError(self).rpcError }
}

extension PlatformError {
  /// What it means for a question that the courier could not carry, and why.
  init(_ failure: CourierFailure) {
    self =
      switch failure {
      case .unresolved: .unreachable(.dns)
      case .refused: .unreachable(.refused)
      case .unreachable: .unreachable(.brokenOff)
      case .timeout: .unreachable(.timeout)
      case .tls: .unreachable(.tls)
      case .refusedOrigin, .refusedAddress: .unreachable(.notAllowed)
      case .cancelled, .busy, .courierGone: .unreachable(.courierUnavailable)
      case .tooLarge, .malformed: .failed(.malformed)
      }
  }
}
