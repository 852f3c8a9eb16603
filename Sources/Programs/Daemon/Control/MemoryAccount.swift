internal import CLinux
public import EventLoop
internal import Glibc

/// The memory that clients make the daemon hold: requests that wait or are under way, and replies and events that
/// nobody has taken yet.
///
/// Each connection says in its share what it holds, in bytes of memory, and nothing of it is counted anywhere else.
@EventLoop
public final class MemoryAccount {
  /// As <doc:Limits> has it.
  enum Limits {
    static let perOwner = 4 << 20
    /// Events, which nobody asks for one by one, leave room for requests.
    static let withEvents = 3 << 20
    static let inAll = 32 << 20
    /// Half of it is for whoever needs it; the other half is for each owner to have a little, whatever others hold.
    static let common = inAll / 2
    /// The same beside a key that is derived, which takes 32 MiB.
    static let commonBesideDerivation = 2 << 20
    static let mostGuaranteed = 64 << 10
  }

  /// Is called when memory was given back after somebody was told that there was none.
  var onRoom: (@EventLoop () -> Void)?

  private let guaranteed: Int
  private var held: [uid_t: Int] = [:]
  /// What owners hold beyond what is guaranteed to them.
  private var common = 0
  /// How much of that there may be.
  private var most = Limits.common
  /// Begins to derive a key once clients hold little enough.
  private var derivation: (@EventLoop () -> Void)?
  private var somebodyWaits = false

  /// An account for so many owners at a time.
  public init(owners: Int) { guaranteed = min(Limits.mostGuaranteed, Limits.common / max(1, owners)) }

  /// Whether more may be held for an owner.
  func hasRoom(for owner: uid_t) -> Bool {
    let hasRoom = hasRoom(for: owner, within: Limits.perOwner)
    if !hasRoom { somebodyWaits = true }
    return hasRoom
  }

  /// Whether more events may be held for an owner.
  func hasRoomForEvents(of owner: uid_t) -> Bool { hasRoom(for: owner, within: Limits.withEvents) }

  /// Whether an owner holds more than is guaranteed to them.
  func holdsMuch(_ owner: uid_t) -> Bool { held[owner] ?? 0 >= guaranteed }

  private func hasRoom(for owner: uid_t, within limit: Int) -> Bool {
    !holdsMuch(owner) || (held[owner] ?? 0 < limit && common < most)
  }

  fileprivate func change(by difference: Int, of owner: uid_t) {
    let before = held[owner] ?? 0
    let after = before + difference
    held[owner] = after > 0 ? after : nil
    common += max(0, after - guaranteed) - max(0, before - guaranteed)
    guard difference < 0 else { return }
    noteRoom()
    // Not in the middle of what gave the memory back.
    if isDerivationWaiting, common <= most { EventLoop.after(.zero) { self.deriveIfThereIsRoom() } }
  }

  private func noteRoom() {
    guard somebodyWaits else { return }
    somebodyWaits = false
    onRoom?()
  }

  // MARK: Room for a key to be derived

  /// Whether a key waits because of what clients hold.
  var isDerivationWaiting: Bool { derivation != nil }

  /// Leaves less to clients, and begins once they hold no more than that.
  func takeRoomToDerive(then begin: @escaping @EventLoop () -> Void) {
    most = Limits.commonBesideDerivation
    derivation = begin
    deriveIfThereIsRoom()
  }

  private func deriveIfThereIsRoom() {
    if common <= most { derive() }
  }

  /// Begins what waits, whatever clients hold: they could hold it for ever.
  func derive() {
    guard let begin = derivation else { return }
    derivation = nil
    // What many held would stay with the process, in pieces between those that others hold.
    clinux_give_back_what_is_free()
    begin()
  }

  /// Leaves clients all of it again.
  func giveBackRoomToDerive() {
    most = Limits.common
    noteRoom()
  }
}

/// What one connection holds, each kind told by who makes it.
@EventLoop
final class MemoryShare {
  /// Lines that have come, whole or not.
  var lines = 0 { didSet { note(lines - oldValue) } }
  /// What the requests hold that are being carried out.
  var requests = 0 { didSet { note(requests - oldValue) } }
  /// Replies that wait for others of their batch.
  var replies = 0 { didSet { note(replies - oldValue) } }
  /// What is being sent.
  var unsent = 0 { didSet { note(unsent - oldValue) } }
  /// Events that wait to be sent.
  var events = 0 { didSet { note(events - oldValue) } }

  private let account: MemoryAccount
  private let owner: uid_t
  private var isClosed = false

  init(_ account: MemoryAccount, owner: uid_t) { (self.account, self.owner) = (account, owner) }

  /// Whether the owner may hold more.
  var hasRoom: Bool { account.hasRoom(for: owner) }

  /// Whether the owner holds more than is guaranteed to them.
  var isMuch: Bool { account.holdsMuch(owner) }

  /// Whether more events may be held for the owner.
  var hasRoomForEvents: Bool { account.hasRoomForEvents(of: owner) }

  /// Gives everything back; what is told from here on counts no more.
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
