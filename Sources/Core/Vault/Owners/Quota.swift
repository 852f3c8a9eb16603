internal import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import SQLite

/// The storage quota of each owner, so that no owner uses the space of others.
@EventLoop
public final class Quota {
  /// The size of rows: their number and the bytes of their long values.
  public struct Usage: Sendable {
    public let rows: Int
    let bytes: Int

    /// No usage is counted, because the component limits its rows itself.
    public static let none = Usage(rows: 0, bytes: 0)
  }

  /// Maximum number of bytes of an owner's rows; the audit has a separate limit.
  public static let bytes = 16 << 20
  /// Number of bytes counted for a row in addition to its long values.
  private static let rowOverhead = 256
  /// Number of bytes that sealing adds to a value, rounded up.
  private static let sealOverhead = 32

  private let vault: Vault
  private(set) var reserved: [uid_t: Int] = [:]

  init(_ vault: Vault, _ owners: Owners) {
    self.vault = vault
    owners.whenErased { [weak self] in self?.reserved[$0] = nil }
  }

  /// Reserves space for a row of an owner with long values of `bytes` bytes.
  ///
  /// Throws if the quota is exhausted.
  public func reserve(_ bytes: Int = 0, of owner: uid_t) throws {
    guard try makeRoom(for: bytes, of: owner) else {
      throw RPCError.quota.with(["limit": .int(Self.bytes)])
        .withMessage("your data takes up the allowed \(Self.bytes >> 20) MiB")
    }
  }

  /// Reserves space; if the quota is exhausted, removes rows that the owner needs least.
  ///
  /// Returns true if there was enough space.
  @discardableResult
  public func makeRoom(for bytes: Int, rows: Int = 1, of owner: uid_t) throws -> Bool {
    if try takeRoom(bytes, rows, of: owner) { return true }
    for component in vault.components.all { try component.reclaim(from: owner) }
    return try takeRoom(bytes, rows, of: owner)
  }

  /// Reserves space if the quota allows it; returns false otherwise.
  ///
  /// The reserved size is an upper bound, since removals are not subtracted. The rows are measured only if
  /// there is no reserved size yet or it would exceed the quota.
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

  /// Returns the number of bytes of an owner's rows.
  public func measured(_ owner: uid_t) throws -> Int {
    try vault.components.all.reduce(0) { sum, component in
      let usage = try component.usage(of: owner)
      return sum + usage.rows * Self.rowOverhead + usage.bytes
    }
  }
}

extension Vault {
  /// Measures rows with a statement that takes an owner and returns `rows`, and `bytes` for their long
  /// values.
  public func usage(of owner: uid_t, by statement: StaticString) throws -> Quota.Usage {
    try database.row(statement, SQLValue(owner)) {
      Quota.Usage(rows: $0.int("rows"), bytes: $0.int("bytes"))
    } ?? .none
  }
}
