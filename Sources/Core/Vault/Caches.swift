public import EventLoop
public import Glibc

/// A cache of recently used values with a limited capacity.
///
/// New and used values are in the young generation. When it reaches half of the capacity, it becomes the old
/// generation, and the rest of the previous old generation is dropped.
@EventLoop
public final class RecentCache<Key: Hashable & Sendable, Value> {
  // Inlinable, so that callers specialize it; otherwise each access looks up the dictionary's type metadata
  // at run time.
  @usableFromInline var young: [Key: Value] = [:]
  @usableFromInline var old: [Key: Value] = [:]
  @usableFromInline let capacity: Int

  /// Creates a cache that holds at most `capacity` values.
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

  /// Number of cached values.
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
  /// Removes all values of an owner.
  public func removeAll(of owner: uid_t) { removeAll { $0.owner == owner } }
}

/// A cache of values per owner, so that a status or a passcode needs neither the disk nor decryption.
///
/// The code that changes an owner's data must remove the owner from the cache.
@EventLoop
public final class OwnerCache<Value> {
  @usableFromInline let values = RecentCache<uid_t, Value>(capacity: 1024)

  nonisolated init() {}

  /// Returns the cached value of an owner; otherwise reads and caches it.
  @inlinable public func value(of owner: uid_t, read: () throws -> Value) rethrows -> Value {
    if let known = values[owner] { return known }
    let value = try read()
    set(value, of: owner)
    return value
  }

  /// Returns the cached value of an owner; nil if there is none.
  @inlinable public func known(of owner: uid_t) -> Value? { values[owner] }

  /// Number of cached owners.
  var count: Int { values.count }

  @inlinable public func set(_ value: Value, of owner: uid_t) { values[owner] = value }

  public func forget(_ owner: uid_t) { values[owner] = nil }

  public func forgetAll() { values.removeAll() }
}
