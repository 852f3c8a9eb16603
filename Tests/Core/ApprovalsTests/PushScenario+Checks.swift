import Approvals
import ControlAPI
import EventLoop
import Interleaving
import JSON
import JSONRPC
import TestPlatform
import Testing

extension PushScenario {
  var seen: String { "\(sights)" }

  /// A client sees the last announced state, or expired after the deadline.
  func checkShown() {
    guard let shown = try? bench.state(of: id), let announced else { return }
    let isOpen = announced == .pending || announced == .sending
    expect(
      shown == announced || (shown == .expired && isOpen && bench.clock.uptime >= deadline),
      "\(shown) is shown and \(announced) was announced"
    )
  }

  /// Checks the invariants after all activity has ended.
  func check() throws {
    checkOrder()
    guard let end = try? bench.state(of: id) else {
      return expect(isUprooted, "the push is gone")
    }
    expect(end != .pending && end != .sending, "it does not end")
    let truth = bench.platform.outcomes[push]
    switch end {
    case .approved: expect(truth == .approved || isTest, "the platform knows nothing of an approval")
    case .denied: expect(truth == .denied, "the platform knows nothing of a denial")
    case .cancelled: expect(truth == .cancelled || isUprooted, "the platform knows nothing of a cancellation")
    case .pending, .sending, .expired: break
    }
    for sight in sights { try check(sight, end) }
  }

  /// A state that a client got is the final state, in this run and in later ones.
  private func check(_ sight: Sight, _ end: NotificationObject.State) throws {
    switch sight {
    case .told(let wish, let state):
      expect(state == wish.outcome, "\(wish) was asked and \(state) answered")
      expect(state == end, "\(state) was told and \(end) it is")
    case .refused(_, .cancelled): expect(end == .cancelled, "a cancellation was told and \(end) it is")
    case .refused(_, let error) where error.code == RPCError.alreadyAnswered.code:
      let state = error.details["state"]?.string.flatMap(NotificationObject.State.init(rawValue:))
      expect(state != nil && state != .expired && state != .cancelled, "\(error.details)")
      // A decision reported by the platform stays valid after the pairing has ended.
      if state == .approved || state == .denied {
        expect(state == end || isUprooted, "\(error.details) and \(end)")
      }
    case .refused, .state, .heard: break
    }
  }

  /// State changes are valid, the final state stays, and only a reverted decision can change.
  private func checkOrder() {
    var decision: String?
    var last: NotificationObject.State?
    for sight in sights {
      switch sight {
      case .state(let state):
        let isFinal = last.map { $0 != .pending && $0 != .sending } ?? false
        expect(!isFinal || last == state, "\(state) came after the end")
        if state == .pending { decision = nil }
        if state == .approved || state == .denied {
          expect(last == .sending || last == state || (isTest && last == nil), "\(state) was not decided")
        }
        last = state
      case .heard(let heard):
        expect(
          decision == nil || decision == heard || isUprooted,
          "the platform heard \(heard) after another decision"
        )
        decision = heard
      case .told, .refused: break
      }
    }
  }
}
