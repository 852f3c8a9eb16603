internal import ControlAPI
internal import EventLoop
internal import JSONRPC

/// Numbers of open connections, and of requests and errors since the start.
@EventLoop
final class TrafficCounters {
  var connections = 0
  private var requests = 0
  /// The errors by reason; there are as many reasons as the program has errors.
  private var errors: [String: Int] = [:]

  nonisolated init() {}

  /// Counts one request, or one line that is not a request.
  func count(_ error: RPCError?) {
    requests += 1
    if let error { errors[error.reason, default: 0] += 1 }
  }

  /// The counters, including the request that asks for them, which is not counted yet.
  var figures: ServiceFigures.Requests {
    let reasons = errors.sorted { $0.key < $1.key }
    return ServiceFigures.Requests(
      total: requests + 1,
      errors: errors.values.reduce(0, +),
      reasons: reasons.map { ServiceFigures.Reason(reason: $0.key, count: $0.value) }
    )
  }
}
