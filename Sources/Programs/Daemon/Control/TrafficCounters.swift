internal import ControlAPI
internal import EventLoop

/// What clients do, counted since the start.
@EventLoop
final class TrafficCounters {
  var connections = 0
  private var requests = 0
  private var errors = 0

  nonisolated init() {}

  /// Counts one request, or one line that was none.
  func count(isError: Bool) {
    requests += 1
    if isError { errors += 1 }
  }

  /// What was counted, with a request that is not done yet.
  var figures: ServiceFigures.Requests { ServiceFigures.Requests(total: requests + 1, errors: errors) }
}
