internal import ControlAPI
internal import CourierLink
internal import CourierProtocol

extension PlatformError {
  /// What it means for a question that the courier could not carry, and why.
  init(_ failure: CourierFailure) {
    self = failure.cause == .malformed ? .failed(.malformed) : .unreachable(failure.cause)
  }
}
