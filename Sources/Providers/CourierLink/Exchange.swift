internal import CourierProtocol
internal import EventLoop

/// One request that waits for its response.
@EventLoop
final class Exchange {
  let request: CourierRequest
  let deadline: Duration
  var timer: Timer?
  var isSent = false
  private let continuation: CheckedContinuation<Result<CourierResponse, CourierFailure>, Never>

  init(
    _ request: CourierRequest,
    until deadline: Duration,
    _ continuation: CheckedContinuation<Result<CourierResponse, CourierFailure>, Never>
  ) {
    self.request = request
    self.deadline = deadline
    self.continuation = continuation
  }

  func finish(_ outcome: Result<CourierResponse, CourierFailure>) {
    timer?.cancel()
    continuation.resume(returning: outcome)
  }
}
