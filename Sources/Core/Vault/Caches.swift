public import EventLoop
public import Glibc

/// The values that were used lately, about as many as fit.
///
/// There are two generations: when the younger one is half of what fits, it becomes the older one, and what was older
/// and not used since is let go.
@EventLoop
public final class RecentCache<Key: Hashable & Sendable, Value> {
  // Inlined where it is used, which knows the types: else each look fetches those of the dictionaries at run time.
  @usableFromInline var young: [Key: Value] = [:]
  @usableFromInline var old: [Key: Value] = [:]
  @usableFromInline let capacity: Int

  /// A cache that holds at most so many values.
  public nonisolated init(capacity: Int) { self.capacity = capacity }

  @inlinable public subscript(_ key: Key) -> Value? {
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
  public var count: Int { young.count + old.count }

  @usableFromInline func keep(_ value: Value, as key: Key) {
    young[key] = value
    if young.count >= max(1, capacity / 2) { (old, young) = (young, [:]) }
  }

  public func removeAll() { (young, old) = ([:], [:]) }

  public func removeAll(where isGone: (Key) -> Bool) {
    young = young.filter { !isGone($0.key) }
    old = old.filter { !isGone($0.key) }
  }
}

extension RecentCache where Key == OwnedKey {
  /// Lets go of all that is an owner's.
  public func removeAll(of owner: uid_t) { removeAll { $0.owner == owner } }
}

/// What was read of owners lately, so that a status or a passcode needs neither the disk nor a cipher.
///
/// Whoever changes what an owner has makes the cache forget that owner.
@EventLoop
public final class OwnerCache<Value> {
  @usableFromInline let values = RecentCache<uid_t, Value>(capacity: 1024)

  nonisolated init() {}

  /// What is remembered of an owner, else what is read now.
  @inlinable public func value(of owner: uid_t, read: () throws -> Value) rethrows -> Value {
    if let known = values[owner] { return known }
    let value = try read()
    set(value, of: owner)
    return value
  }

  /// What is remembered of an owner.
  @inlinable public func known(of owner: uid_t) -> Value? { values[owner] }

  /// How many owners are remembered.
  var count: Int { values.count }

  @inlinable public func set(_ value: Value, of owner: uid_t) { values[owner] = value }

  public func forget(_ owner: uid_t) { values[owner] = nil }

  public func forgetAll() { values.removeAll() }
}
