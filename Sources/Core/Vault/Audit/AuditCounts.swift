internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import SQLite
internal import Time

/// Counts operations that are too frequent for an entry and a commit each, for instance passcodes.
///
/// An entry holds the number of operations on one object since the previous such entry. The first commit of
/// other changes in an hour takes the entry along. The rest follows at the end of the hour and at a clean
/// stop. A crash loses the numbers in memory.
@EventLoop
final class AuditCounts {
  private struct Key: Hashable {
    let method: String
    let object: OwnedKey
  }

  private struct Count {
    var number = 0
    /// True if a commit has taken an entry along in this hour, so that later commits add no more rows.
    var hasEntry = false
  }

  private let vault: Vault
  private let time: TimeSource
  private let after: Delay
  private let record: @EventLoop (_ method: String, _ object: OwnedKey, _ outcome: String) -> Void
  private var counts: [Key: Count] = [:]
  private var isTimed = false

  private static let secondsPerHour = 3600

  init(
    _ vault: Vault,
    time: TimeSource,
    after: @escaping Delay,
    record: @escaping @EventLoop (_ method: String, _ object: OwnedKey, _ outcome: String) -> Void
  ) {
    (self.vault, self.time, self.after, self.record) = (vault, time, after, record)
    vault.whenCommitting { [weak self] in self?.write(isWhole: false) }
  }

  func add(_ method: String, _ object: OwnedKey) {
    counts[Key(method: method, object: object), default: Count()].number += 1
    startTimer()
  }

  /// Writes all numbers in the transaction of the current loop iteration, and begins again.
  func writeAll() { write(isWhole: true) }

  /// Writes the number of a removed object in the transaction of the current loop iteration, and forgets the
  /// object.
  ///
  /// Otherwise adding and removing objects in a loop would fill the memory.
  func end(_ object: OwnedKey) {
    let ended = counts.filter { $0.key.object == object }
    for key in ended.keys { counts[key] = nil }
    enter(ended.filter { $0.value.number > 0 })
  }

  /// Forgets the numbers of an erased owner.
  func forget(_ owner: uid_t) { counts = counts.filter { $0.key.object.owner != owner } }

  private func startTimer() {
    guard !isTimed else { return }
    isTimed = true
    let rest = Self.secondsPerHour - time.now().seconds % Self.secondsPerHour
    after(.seconds(rest)) { [weak self] in
      self?.isTimed = false
      self?.writeAll()
    }
  }

  private func write(isWhole: Bool) {
    let due = counts.filter { $0.value.number > 0 && (isWhole || !$0.value.hasEntry) }
    counts = isWhole ? [:] : counts.merging(due) { _, _ in Count(hasEntry: true) }
    enter(due)
  }

  private func enter(_ due: [Key: Count]) {
    guard !due.isEmpty else { return }
    // The commit of an erasure must not leave an entry of the erased owner.
    for (key, count) in due.sorted(by: { $0.key.object.id < $1.key.object.id })
    where (try? vault.isOwner(key.object.owner)) != false {
      record(key.method, key.object, "\(AuditEntry.countPrefix)\(count.number)")
    }
    vault.afterTurn { [weak self] in if $0 != nil { self?.restore(due) } }
  }

  /// Adds the numbers of entries that were not stored.
  private func restore(_ due: [Key: Count]) {
    counts.merge(due) { Count(number: $0.number + $1.number) }
    startTimer()
  }
}

extension Vault {
  fileprivate func isOwner(_ owner: uid_t) throws -> Bool {
    try database.row("SELECT 1 FROM owner WHERE uid = ?", SQLValue(owner)) { _ in true } ?? false
  }
}
