internal import CourierProtocol
internal import EventLoop

/// One request that waits for its response.
@EventLoop
final class Exchange {
  /// What is to be sent; gone once it was.
  private(set) var request: CourierRequest?
  let deadline: Duration
  var timer: Timer?
  var continuation: CheckedContinuation<Result<CourierResponse, CourierFailure>, Never>?

  init(_ request: consuming CourierRequest, until deadline: Duration) {
    (self.request, self.deadline) = (request, deadline)
  }

  var isSent: Bool { request == nil }

  /// Hands the request over to be sent.
  func takeRequest() -> CourierRequest? {
    defer { request = nil }
    return request
  }

  func finish(_ outcome: Result<CourierResponse, CourierFailure>) {
    timer?.cancel()
    continuation?.resume(returning: outcome)
    continuation = nil
  }
}
