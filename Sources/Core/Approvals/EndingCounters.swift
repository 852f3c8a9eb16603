public import ControlAPI
public import EventLoop

/// Numbers of requests that ended since the start, by their final state.
@EventLoop
public final class EndingCounters {
  private var counts: [ApprovalRequest.State: Int] = [:]

  nonisolated init() {}

  /// Counts a request that came into a state; only the final states are reported.
  func count(_ state: ApprovalRequest.State) { counts[state, default: 0] += 1 }

  public var figures: ServiceFigures.Approvals {
    ServiceFigures.Approvals(
      approved: counts[.approved, default: 0],
      denied: counts[.denied, default: 0],
      expired: counts[.expired, default: 0],
      cancelled: counts[.cancelled, default: 0]
    )
  }
}
