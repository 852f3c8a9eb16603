internal import ControlAPI
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Time

/// What one owner may have, so that nobody takes the room of others; section 1 of the interface.
enum Share {
  static let accounts = 64
  /// The most bytes of rows; the audit has a limit of its own.
  static let bytes = 16 << 20
}

extension Authenticator {
  /// Refuses to begin what would make one account more than an owner may have.
  func checkRoomForAccount(of owner: uid_t) throws {
    guard try store.accounts(of: owner).count < Share.accounts else {
      throw RPCError.quota.with(["limit": .int(Share.accounts)])
    }
  }

  /// Takes room for a row with so many bytes that an owner wants to store, or refuses it.
  func takeRoom(for bytes: Int = 0, of owner: uid_t) throws {
    guard try makeRoom(for: bytes, of: owner) else {
      throw RPCError.quota.with(["limit": .int(Share.bytes)])
    }
  }

  /// Takes room; where there is none, what was settled goes for it.
  ///
  /// Returns whether that was enough. A push is stored even if it was not: those that can still be answered are few, so what is stored stays bounded.
  @discardableResult
  func makeRoom(for bytes: Int, of owner: uid_t) throws -> Bool {
    if try store.takeRoom(bytes, of: owner) { return true }
    try store.dropOldestSettled(of: owner, now: time.now())
    return try store.takeRoom(bytes, of: owner)
  }
}
