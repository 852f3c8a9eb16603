import Synchronization

/// The newest entries of the journal, so many and no more; nothing of them is ever on a disk.
final class JournalMemory: Sendable {
  private struct Ring {
    var entries: [JournalEntry] = []
    var next = 0
  }

  private let ring = Mutex(Ring())
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  func remember(_ entry: JournalEntry) {
    ring.withLock { ring in
      if ring.entries.count < capacity {
        ring.entries.append(entry)
      } else {
        ring.entries[ring.next] = entry
        ring.next = (ring.next + 1) % capacity
      }
    }
  }

  /// The entries, the oldest first.
  var entries: [JournalEntry] {
    ring.withLock { Array($0.entries[$0.next...] + $0.entries[..<$0.next]) }
  }
}
