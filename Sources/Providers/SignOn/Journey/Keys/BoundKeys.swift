internal import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import OpenSSL
public import Time
public import Vault

/// The keys with which PingAM servers recognize this machine, each for one user at one server.
///
/// A key that the server may have received is kept, even if the sign-on fails, because the server may have
/// stored it. A key that the server does not know does no harm.
@EventLoop
public final class BoundKeys {
  let core: Core
  private let table: BoundKeyTable

  private static let maximumCount = 64
  /// Maximum number of accepted keys of one user at one server.
  private static let maximumPerUser = 4

  public init(_ core: Core) {
    self.core = core
    table = BoundKeyTable(vault: core.vault)
    core.register(self)
  }

  /// Returns the keys of an owner for a server, newest first.
  func keys(at server: String, of owner: uid_t) throws -> [BoundKey] {
    try table.all(of: owner).filter { $0.server.hasSameBytes(as: server) }
  }

  /// Creates and stores a key before it is sent to a server.
  ///
  /// Deletes none of the user's other keys, because the server may reject the new key.
  public func make(
    for user: String,
    named userName: String,
    at server: String,
    wantsPresence: Bool = false,
    owner: uid_t
  ) throws -> BoundKey {
    let key = BoundKey(
      id: try OpaqueID.makeUUID(),
      owner: owner,
      server: server,
      user: user,
      userName: userName,
      createdAt: core.time.now(),
      wantsPresence: wantsPresence
    )
    let privateKey = try PrivateKey.generateP256()
    try core.vault.write { _ in
      try core.owners.enter(owner)
      guard try keys(for: user, at: server, of: owner).count(where: \.isAccepted) < Self.maximumPerUser else {
        throw RPCError.quota(Self.maximumPerUser, "keys for this user")
      }
      guard try table.usage(of: owner).rows < Self.maximumCount else {
        throw RPCError.quota(Self.maximumCount, "keys")
      }
      try core.quota.reserve(user.utf8.count + userName.utf8.count, of: owner)
      try table.insert(key, privateKey)
    }
    return key
  }

  /// Marks a key as accepted, because a journey continued after the key was used in it.
  ///
  /// If the user now has too many keys at this server, deletes the oldest of those that were never accepted.
  func accept(_ key: BoundKey) throws {
    try core.vault.write { _ in
      try table.accept(key)
      let keys = try keys(for: key.user, at: key.server, of: key.owner)
      let excess = max(keys.count - Self.maximumPerUser, 0)
      for oldest in keys.filter({ !$0.isAccepted }).suffix(excess) { try table.delete(oldest) }
    }
  }

  private func keys(for user: String, at server: String, of owner: uid_t) throws -> [BoundKey] {
    try keys(at: server, of: owner).filter { $0.user.hasSameBytes(as: user) }
  }

  /// Returns a signed token for a challenge, which proves to a server that this machine has the key.
  ///
  /// Throws `notFound` if the key is missing.
  func proof(of challenge: KeyChallenge, by key: BoundKey, introducesKey: Bool) throws -> String {
    guard let privateKey = try table.privateKey(of: key) else { throw RPCError.noSuch("key") }
    return try challenge.proof(
      by: privateKey,
      named: key.id,
      of: key.user,
      at: core.time.now(),
      introducesKey: introducesKey
    )
  }

  /// Removes a key that its server does not know, because it never received the key or has removed it.
  func discard(_ key: BoundKey) throws { try table.delete(key) }
}

extension BoundKeys: OwnedComponent {
  public nonisolated static let schema: StaticString = """
    CREATE TABLE bound_key (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      server TEXT NOT NULL,
      data_key BLOB NOT NULL,
      user BLOB NOT NULL,
      user_name BLOB NOT NULL,
      private_key BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      is_accepted INTEGER NOT NULL DEFAULT 0,
      is_guarded INTEGER NOT NULL DEFAULT 0,
      wants_presence INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX bound_key_owner ON bound_key (owner);
    """

  public nonisolated static var restoration: RestorationRules { .none }

  public func usage(of owner: uid_t) throws -> Quota.Usage { try table.usage(of: owner) }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) throws { try table.guardKeys(of: owner) }

  public func forget(_ owner: uid_t) {}
}
