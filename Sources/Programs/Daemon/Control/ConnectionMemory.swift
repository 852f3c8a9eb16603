internal import EventLoop
internal import Glibc
internal import Vault

/// Bytes used for one connection.
///
/// The code that allocates memory of one kind updates the counter of that kind.
@EventLoop
final class ConnectionMemory {
  /// Received lines, complete or partial.
  var lines = 0 { didSet { note(lines - oldValue) } }
  /// Parameters of running requests.
  var requests = 0 { didSet { note(requests - oldValue) } }
  /// Replies that wait for the rest of their batch.
  var replies = 0 { didSet { note(replies - oldValue) } }
  /// Data that is queued for sending.
  var unsent = 0 { didSet { note(unsent - oldValue) } }
  /// Queued events.
  var events = 0 { didSet { note(events - oldValue) } }

  private let account: MemoryBudget
  private let owner: uid_t
  private var isClosed = false

  init(_ account: MemoryBudget, owner: uid_t) { (self.account, self.owner) = (account, owner) }

  /// True if the owner may use more memory.
  var hasRoom: Bool { account.hasRoom(for: owner) }

  /// True if more events may be queued for the owner.
  var hasRoomForEvents: Bool { account.hasRoomForEvents(of: owner) }

  /// Releases everything.
  ///
  /// Later changes of the counters have no effect.
  func close() {
    guard !isClosed else { return }
    let all = lines + requests + replies + unsent + events
    isClosed = true
    account.change(by: -all, of: owner)
  }

  private func note(_ difference: Int) {
    if !isClosed, difference != 0 { account.change(by: difference, of: owner) }
  }
}
