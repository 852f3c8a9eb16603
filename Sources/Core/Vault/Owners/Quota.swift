internal import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
public import JSONRPC
internal import SQLite
public import Time

/// How much the rows of one owner may take, so that nobody takes the room of others.
@EventLoop
public final class Quota {
  /// What rows take: how many they are, and the bytes of their long values.
  public struct Usage: Sendable {
    public let rows: Int
    let bytes: Int

    /// No usage is counted, since the component limits its rows itself.
    public static let none = Usage(rows: 0, bytes: 0)
  }

  /// The most bytes of an owner's rows; the audit has a limit of its own.
  public static let bytes = 16 << 20
  /// What a row takes beside its long values.
  private static let rowOverhead = 256
  /// What sealing adds to a value, and a little more.
  private static let sealOverhead = 32

  private let vault: Vault
  private(set) var reserved: [uid_t: Int] = [:]

  init(_ vault: Vault, _ owners: Owners) {
    self.vault = vault
    owners.whenErased { [weak self] in self?.reserved[$0] = nil }
  }

  /// Takes room for a row with so many bytes that an owner wants to store, or refuses it.
  public func reserve(_ bytes: Int = 0, of owner: uid_t) throws {
    guard try makeRoom(for: bytes, of: owner) else {
      throw RPCError.quota.with(["limit": .int(Self.bytes)])
        .saying("your things take up the \(Self.bytes >> 20) MiB that they may")
    }
  }

  /// Takes room; where there is none, what nobody needs any more goes for it.
  ///
  /// Returns whether that was enough.
  @discardableResult
  public func makeRoom(for bytes: Int, rows: Int = 1, of owner: uid_t) throws -> Bool {
    if try takeRoom(bytes, rows, of: owner) { return true }
    for component in vault.components.all { try component.reclaim(from: owner) }
    return try takeRoom(bytes, rows, of: owner)
  }

  /// What is known of an owner is never less than the truth, since removals are not counted; only when it says that
  /// there is no room the rows are measured.
  private func takeRoom(_ bytes: Int, _ rows: Int, of owner: uid_t) throws -> Bool {
    let wanted = bytes + Self.sealOverhead + rows * Self.rowOverhead
    if let known = reserved[owner], known + wanted <= Self.bytes {
      reserved[owner] = known + wanted
      return true
    }
    let used = try measured(owner)
    let hasRoom = used + wanted <= Self.bytes
    reserved[owner] = hasRoom ? used + wanted : used
    return hasRoom
  }

  /// The bytes of an owner's rows.
  public func measured(_ owner: uid_t) throws -> Int {
    try vault.components.all.reduce(0) { sum, component in
      let usage = try component.usage(of: owner)
      return sum + usage.rows * Self.rowOverhead + usage.bytes
    }
  }
}

extension Vault {
  /// Measures rows by a statement that takes an owner and returns `rows`, and the `bytes` of their long values.
  public func usage(of owner: uid_t, by statement: StaticString) throws -> Quota.Usage {
    try database.row(statement, SQLValue(owner)) {
      Quota.Usage(rows: $0.int("rows"), bytes: $0.int("bytes"))
    } ?? .none
  }
}

/// How often an owner may change something: a bucket that fills again.
@EventLoop
public final class WriteLimits {
  private static let perSecond = 20.0
  private static let burst = 100.0

  private let time: TimeSource
  private var buckets: [uid_t: (level: Double, at: Duration)] = [:]

  public init(time: TimeSource) { self.time = time }

  /// Takes one write of an owner, or refuses it.
  public func take(of owner: uid_t) throws(RPCError) {
    let now = time.uptime()
    let bucket = buckets[owner] ?? (Self.burst, now)
    let passed = now - bucket.at
    // Not rounded: a burst of requests each of which takes less than a millisecond would find more room than there is.
    let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    let level = min(Self.burst, bucket.level + seconds * Self.perSecond)
    guard level >= 1 else { throw .rateLimited.with(["retryAfter": 1]) }
    buckets[owner] = (level - 1, now)
  }
}
