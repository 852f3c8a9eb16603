public import EventLoop
public import Glibc

/// A budget for memory used on behalf of clients: requests that wait or run, unsent replies and events, and
/// the documents that sign-ons keep.
///
/// Connections and sign-ons count their bytes here, and nowhere else.
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
    /// Limit per owner for keeping documents; the rest of `perOwner` is for requests.
    static let withDocuments = 2 << 20
    /// Limit of the documents of all owners, apart from those within guaranteed amounts.
    static let documents = common / 2
  }

  /// Called when memory is released after a request for memory was denied.
  public var onRoom: (@EventLoop () -> Void)?

  private let guaranteed: Int
  private var held: [uid_t: Int] = [:]
  /// Bytes that owners use beyond their guarantees.
  private var common = 0
  private var documents = 0
  private var somebodyWaits = false

  /// A budget for up to `owners` simultaneous owners.
  public init(owners: Int) { guaranteed = min(Limits.mostGuaranteed, Limits.common / max(1, owners)) }

  /// True if an owner may use more memory.
  public func hasRoom(for owner: uid_t) -> Bool {
    let hasRoom = hasRoom(for: owner, within: Limits.perOwner)
    if !hasRoom { somebodyWaits = true }
    return hasRoom
  }

  /// True if more events may be queued for an owner.
  public func hasRoomForEvents(of owner: uid_t) -> Bool { hasRoom(for: owner, within: Limits.withEvents) }

  private func hasRoom(for owner: uid_t, within limit: Int) -> Bool {
    let held = held[owner] ?? 0
    return held < guaranteed || (held < limit && common < Limits.common)
  }

  /// Counts documents of a sign-on that become longer or shorter.
  ///
  /// Returns false and counts nothing if there is no room. Documents are kept for minutes, so their limits
  /// leave room for requests.
  public func changeDocuments(by difference: Int, of owner: uid_t) -> Bool {
    let after = (held[owner] ?? 0) + difference
    let fits = after <= Limits.withDocuments && documents + difference <= Limits.documents
    guard difference <= 0 || after <= guaranteed || fits else { return false }
    documents += difference
    change(by: difference, of: owner)
    return true
  }

  public func change(by difference: Int, of owner: uid_t) {
    let before = held[owner] ?? 0
    let after = before + difference
    held[owner] = after > 0 ? after : nil
    common += max(0, after - guaranteed) - max(0, before - guaranteed)
    guard difference < 0, somebodyWaits else { return }
    somebodyWaits = false
    onRoom?()
  }
}
