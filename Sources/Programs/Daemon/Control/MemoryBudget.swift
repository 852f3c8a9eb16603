public import EventLoop
internal import Glibc

/// A budget for memory used on behalf of clients: requests that wait or run, unsent replies and events.
///
/// Each connection counts its bytes in a ``ConnectionMemory``, and they are counted nowhere else.
@EventLoop
public final class MemoryBudget {
  /// Limits in bytes, documented in <doc:Limits>.
  enum Limits {
    static let perOwner = 4 << 20
    /// Limit per owner for queuing events; the rest of `perOwner` is for requests.
    static let withEvents = 3 << 20
    static let inAll = 32 << 20
    /// Any owner may use this half.
    ///
    /// The other half guarantees a small amount to each owner.
    static let common = inAll / 2
    static let mostGuaranteed = 64 << 10
  }

  /// Called when memory is released after a request for memory was denied.
  var onRoom: (@EventLoop () -> Void)?

  private let guaranteed: Int
  private var held: [uid_t: Int] = [:]
  /// Bytes that owners use beyond their guarantees.
  private var common = 0
  private var somebodyWaits = false

  /// A budget for up to `owners` simultaneous owners.
  public init(owners: Int) { guaranteed = min(Limits.mostGuaranteed, Limits.common / max(1, owners)) }

  /// True if an owner may use more memory.
  func hasRoom(for owner: uid_t) -> Bool {
    let hasRoom = hasRoom(for: owner, within: Limits.perOwner)
    if !hasRoom { somebodyWaits = true }
    return hasRoom
  }

  /// True if more events may be queued for an owner.
  func hasRoomForEvents(of owner: uid_t) -> Bool { hasRoom(for: owner, within: Limits.withEvents) }

  private func hasRoom(for owner: uid_t, within limit: Int) -> Bool {
    let held = held[owner] ?? 0
    return held < guaranteed || (held < limit && common < Limits.common)
  }

  fileprivate func change(by difference: Int, of owner: uid_t) {
    let before = held[owner] ?? 0
    let after = before + difference
    held[owner] = after > 0 ? after : nil
    common += max(0, after - guaranteed) - max(0, before - guaranteed)
    guard difference < 0, somebodyWaits else { return }
    somebodyWaits = false
    onRoom?()
  }
}

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
