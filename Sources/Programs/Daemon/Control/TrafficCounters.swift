internal import ControlAPI
internal import EventLoop

/// Numbers of open connections, and of requests and errors since the start.
@EventLoop
final class TrafficCounters {
  var connections = 0
  private var requests = 0
  private var errors = 0

  nonisolated init() {}

  /// Counts one request, or one line that is not a request.
  func count(isError: Bool) {
    requests += 1
    if isError { errors += 1 }
  }

  /// The counters, including the request that asks for them, which is not counted yet.
  var figures: ServiceFigures.Requests { ServiceFigures.Requests(total: requests + 1, errors: errors) }
}
