internal import ControlAPI
internal import CourierLink
internal import CourierProtocol
internal import WebAddress

extension PlatformError {
  /// What it means for a question that the courier could not carry, and why.
  init(_ failure: CourierFailure, at origin: Origin) {
    self =
      failure.cause == .malformed
      ? .failed(.malformed, at: origin) : .unreachable(failure, at: origin)
  }
}
