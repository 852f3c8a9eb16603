package import EventLoop
package import Glibc

/// What was read of owners lately, so that a status or a passcode needs neither the disk nor a cipher.
///
/// Whoever changes what an owner has makes the cache forget that owner.
@EventLoop
package final class OwnerCache<Value> {
  @usableFromInline let values = RecentCache<uid_t, Value>(capacity: 1024)

  nonisolated init() {}

  /// What is remembered of an owner, else what is read now.
  @inlinable package func value(of owner: uid_t, read: () throws -> Value) rethrows -> Value {
    if let known = values[owner] { return known }
    let value = try read()
    set(value, of: owner)
    return value
  }

  /// What is remembered of an owner.
  @inlinable package func known(of owner: uid_t) -> Value? { values[owner] }

  /// How many owners are remembered.
  var count: Int { values.count }

  @inlinable package func set(_ value: Value, of owner: uid_t) { values[owner] = value }

  package func forget(_ owner: uid_t) { values[owner] = nil }

  package func forgetAll() { values.removeAll() }
}
