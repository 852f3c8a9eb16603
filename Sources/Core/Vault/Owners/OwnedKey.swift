package import EventLoop
package import Glibc

/// Something of an owner's that work is under way for; the work ends when the owner is erased, so it says whose it is.
package struct OwnedKey: Hashable, Sendable {
  package let owner: uid_t
  package let id: String

  package init(_ id: String, of owner: uid_t) { (self.id, self.owner) = (id, owner) }
}

extension Dictionary where Key == OwnedKey {
  /// Removes all that is an owner's.
  package mutating func removeAll(of owner: uid_t) { self = filter { $0.key.owner != owner } }
}

extension SingleFlight where Key == OwnedKey {
  /// Cancels all that is under way for an owner.
  package func cancelAll(of owner: uid_t) {
    for key in keys where key.owner == owner { cancel(key) }
  }
}
