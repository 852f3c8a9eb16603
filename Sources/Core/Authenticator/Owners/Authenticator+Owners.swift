package import ControlAPI
internal import EventLoop
package import Glibc

/// What an owner had before it was erased.
package struct Erasure: Sendable, Equatable {
  /// How many accounts were in force.
  package let accounts: Int
  /// How many pushes were kept.
  package let notifications: Int
}

extension Authenticator {
  /// Everybody who has something here, by their uids.
  package func owners() throws -> [Owner] { try store.owners() }

  /// What is stored, of all owners.
  package func stock() throws -> ServiceFigures.Stock { try store.stock() }

  /// Erases everything of an owner, so that nothing of it is left in the file either, and ends what is under way.
  ///
  /// The platforms hear nothing of it. What waits for them finds no owner any more and changes nothing. A failure
  /// after the rows are gone is told too, since their bytes may still be there; the same again removes those.
  @discardableResult
  package func erase(owner: uid_t) throws -> Erasure {
    let open = try store.openNotificationIDs(of: owner)
    let erasure = try store.eraseRows(of: owner)
    forgetWork(of: owner, notifications: open)
    for end in erasureObservers { end(owner) }
    events.discard(owner)
    try store.shred()
    return erasure
  }

  /// Calls a handler for each owner that is erased, whose work elsewhere is to end.
  package func whenErased(_ handler: @escaping @EventLoop (uid_t) -> Void) {
    erasureObservers.append(handler)
  }

  private func forgetWork(of owner: uid_t, notifications: [String]) {
    forgetIdentities(of: owner)
    passcodes = [:]
    for id in notifications {
      deliveries.removeValue(forKey: id)?.cancel()
      (deadlines[id], backOffs[id]) = (nil, nil)
    }
  }
}
