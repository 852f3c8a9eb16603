internal import Accounts
public import ControlAPI
public import EventLoop
public import Glibc
public import JSON
internal import JSONRPC
public import Time
public import Vault

/// The sessions of earlier sign-ons, stored sealed; they can shorten the next sign-on.
@EventLoop
public final class Sessions {
  private let core: Core

  private static let maximumCount = 64

  public init(_ core: Core) {
    self.core = core
    core.register(self)
  }

  /// Returns the sessions of an owner, newest first.
  public func list(of owner: uid_t) throws -> [SignOnSession] { try core.vault.sessions(of: owner) }

  /// Returns the sessions as their owner sees them, newest first; without users while the owner is locked.
  public func shown(to owner: uid_t) throws -> [SignOnSession] {
    let sessions = try list(of: owner)
    return try core.vault.isLocked(owner) ? sessions.map(\.impersonal) : sessions
  }

  /// Returns the session of a user at an issuer; without a subject, the session that belongs to no user.
  public func session(at issuer: String, of subject: String?, owner: uid_t) throws -> SignOnSession? {
    try core.vault.session(at: issuer, of: subject, owner: owner)
  }

  /// Returns the content of a session; `nil` if it has ended.
  public func content(of session: SignOnSession, owner: uid_t) throws -> JSON? {
    try core.vault.sessionContent(session.id, of: owner)
  }

  /// Stores a session, replacing an earlier one of the same issuer and subject.
  ///
  /// Beyond `maximumCount` it deletes the owner's oldest sessions: a successful sign-on must not fail because
  /// there are too many.
  @discardableResult
  public func keep(
    _ content: JSON,
    at issuer: String,
    of subject: String?,
    owner: uid_t
  ) throws -> SignOnSession {
    let session = SignOnSession(
      id: try OpaqueID.make(),
      issuer: issuer,
      subject: subject,
      updatedAt: core.time.now()
    )
    try core.vault.write { _ in
      try core.owners.enter(owner)
      let earlier = try core.vault.session(at: issuer, of: subject, owner: owner)
      let others = try core.vault.sessions(of: owner).filter { $0.id != earlier?.id }
      for oldest in others.dropFirst(Self.maximumCount - 1) {
        try core.vault.deleteSession(oldest.id, of: owner)
      }
      try core.vault.putSession(session, content, of: owner)
    }
    return session
  }

  /// Updates the content of a session.
  public func update(_ session: SignOnSession, _ content: JSON, owner: uid_t) throws {
    try core.vault.updateSession(session.id, content, of: owner, now: core.time.now())
  }

  public func forget(_ session: SignOnSession, owner: uid_t) throws {
    try core.vault.deleteSession(session.id, of: owner)
  }
}

extension Sessions: OwnedComponent {
  public nonisolated static let schema: StaticString = """
    CREATE TABLE session (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      digest BLOB NOT NULL,
      data_key BLOB NOT NULL,
      issuer TEXT NOT NULL,
      subject BLOB,
      content BLOB NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (owner, digest)
    ) STRICT;
    """

  /// The current rows replace the rows of a restored backup, and ended sessions stay ended.
  ///
  /// Refresh tokens in the backup may have been used up since.
  public nonisolated static let restoration = RestorationRules(later: [
    "DELETE FROM session WHERE id NOT IN (SELECT id FROM live.session)",
    "INSERT OR REPLACE INTO session SELECT * FROM live.session WHERE id IN (SELECT id FROM session)",
  ])

  public func usage(of owner: uid_t) throws -> Quota.Usage { try core.vault.sessionUsage(of: owner) }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) {}

  public func forget(_ owner: uid_t) {}
}

/// The stored content of a session: tokens, the issuer's claims about the user, and session cookies.
struct KeptSession: Sendable {
  var tokens: Tokens
  var claims: JSONObject?
  let cookies: [CookieJar.Cookie]

  init(tokens: Tokens, cookies: [CookieJar.Cookie]) { (self.tokens, self.cookies) = (tokens, cookies) }

  /// Reads stored JSON; `nil` without tokens.
  init?(_ json: JSON) {
    guard let tokens = json["tokens"].flatMap({ Tokens(kept: $0) }) else { return nil }
    self.tokens = tokens
    claims = json["claims"]?.object
    cookies = (json["cookies"]?.array ?? []).compactMap { CookieJar.Cookie(kept: $0) }
  }

  /// The session as stored JSON.
  var json: JSON {
    var object: JSONObject = ["tokens": tokens.json]
    object["claims"] = claims.map { .object($0) }
    if !cookies.isEmpty { object["cookies"] = .array(cookies.map(\.json)) }
    return .object(object)
  }
}
