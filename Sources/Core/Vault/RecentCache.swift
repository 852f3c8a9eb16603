package import EventLoop
package import Glibc

/// The values that were used lately, about as many as fit.
///
/// There are two generations: when the younger one is half of what fits, it becomes the older one, and what was older
/// and not used since is let go.
@EventLoop
package final class RecentCache<Key: Hashable & Sendable, Value> {
  // Inlined where it is used, which knows the types: else each look fetches those of the dictionaries at run time.
  @usableFromInline var young: [Key: Value] = [:]
  @usableFromInline var old: [Key: Value] = [:]
  @usableFromInline let capacity: Int

  /// A cache that holds at most so many values.
  package nonisolated init(capacity: Int) { self.capacity = capacity }

  @inlinable package subscript(_ key: Key) -> Value? {
    get {
      if let value = young[key] { return value }
      guard let value = old.removeValue(forKey: key) else { return nil }
      keep(value, as: key)
      return value
    }
    set {
      old[key] = nil
      if let newValue { keep(newValue, as: key) } else { young[key] = nil }
    }
  }

  /// How many values are held.
  package var count: Int { young.count + old.count }

  @usableFromInline func keep(_ value: Value, as key: Key) {
    young[key] = value
    if young.count >= max(1, capacity / 2) { (old, young) = (young, [:]) }
  }

  package func removeAll() { (young, old) = ([:], [:]) }

  package func removeAll(where isGone: (Key) -> Bool) {
    young = young.filter { !isGone($0.key) }
    old = old.filter { !isGone($0.key) }
  }
}

extension RecentCache where Key == OwnedKey {
  /// Lets go of all that is an owner's.
  package func removeAll(of owner: uid_t) { removeAll { $0.owner == owner } }
}
