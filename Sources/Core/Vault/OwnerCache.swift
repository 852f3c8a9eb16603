package import EventLoop
package import Glibc

/// What was read of owners lately, so that a status or a passcode needs neither the disk nor a cipher.
///
/// Whoever changes what an owner has makes the cache forget that owner.
@EventLoop
package final class OwnerCache<Value> {
  private(set) var values: [uid_t: Value] = [:]

  /// The most owners that are remembered; past it all are read again as they are needed.
  private static var capacity: Int { 1024 }

  nonisolated init() {}

  /// What is remembered of an owner, else what is read now.
  package func value(of owner: uid_t, read: () throws -> Value) rethrows -> Value {
    if let known = values[owner] { return known }
    let value = try read()
    set(value, of: owner)
    return value
  }

  package func set(_ value: Value, of owner: uid_t) {
    if values.count >= Self.capacity { values = [:] }
    values[owner] = value
  }

  package func forget(_ owner: uid_t) { values[owner] = nil }

  package func forgetAll() { values = [:] }
}
