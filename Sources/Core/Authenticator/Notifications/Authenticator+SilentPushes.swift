internal import ControlAPI
internal import EventLoop
internal import Journal
internal import Time

// Silent pushes, with which the platform makes sure of a device while its owner signs on there. Nobody is asked, so
// none ever stands as waiting: it is stored as decided, and what the platform does not take is over.

extension Authenticator {
  /// What stands behind an answer that nobody gave: a key kept by software, RFC 8176.
  private static let silentMethod = "swk"

  /// The seconds in which a push can be answered; a silent one only until its end by the platform's own clock.
  func lifetime(of push: Push, for identity: Identity) -> Int {
    guard push.kind == .silent else { return push.timeout }
    let platformNow = time.now().seconds + (identity.platform.clockOffset ?? 0)
    return max(0, min(push.timeout, push.expiresAt.seconds - platformNow))
  }

  /// Decides about a silent push in the transaction that stores it, and hands the decision in once that is done.
  func answerSilently(_ record: NotificationRecord) throws {
    let decision = Decision(
      isApproval: true,
      method: Self.silentMethod,
      number: nil,
      reason: nil,
      at: record.receivedAt
    )
    guard try store.decide(record.id, of: record.owner, decision) else { return }
    store.whenCommitted { [self] in
      let delivery = startDelivery(record, decision)
      EventLoop.task { [self] in
        _ = try? await auditing(.answerSilently, of: record.id, owner: record.owner) {
          try answer(of: record, with: await delivery.value)
        }
      }
    }
  }

  /// Takes back a decision that the platform did not take, so that another can be made if there is anybody to make it.
  func withdraw(_ record: NotificationRecord) throws {
    guard record.kind == .done else { return try store.withdrawDecision(record.id) }
    _ = try store.moveNotification(record.id, from: .sending, to: .expired)
    Journal.warning("the platform did not take the answer to a silent push", ["uid": record.owner])
  }
}
