package import Configuration
package import ControlAPI
internal import CourierLink
package import CourierProtocol
package import JSONRPC
package import WebAddress

/// Why the platform did not do what it was asked.
package enum PlatformError: NamedError, Sendable, Equatable {
  /// No response came; nothing is known of what happened there.
  case unreachable(CourierFailure, at: Origin? = nil)
  /// What came was signed by a key that is not held of the platform; it may have a new one.
  case unknownKey
  /// What came was no authenticated response, or said that the platform failed.
  case failed(ErrorCause, status: Int? = nil, at: Origin? = nil)
  /// The platform understood and refused, in the terms of the interface.
  case refused(RPCError)
  /// The clock of this machine is off by so many seconds; the platform did not look at what it was asked.
  case clockOff(by: Int)
  /// A pairing key belongs to the platform of another geography.
  case elsewhere(Geography)
  /// The platform does not know this device any more.
  case deviceUnknown

  package var rpcError: RPCError {
    switch self {
    case .unreachable(let failure, let origin): failure.rpcError(at: origin)
    case .failed(let cause, let status, let origin): .serverError.because(cause, status: status, at: origin)
    case .unknownKey: .serverError.because(.notPlatform)
    case .refused(let error): error
    case .clockOff(let offset): .clockSkew(behind: offset, "the platform's")
    case .elsewhere: .pairingKey
    case .deviceUnknown: .notPaired
    }
  }
}
