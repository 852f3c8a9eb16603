package import ControlAPI
internal import EventLoop
package import Glibc
package import JSON
internal import JSONRPC
internal import Time

extension Authenticator {
  private static let maximumSessions = 64

  /// The sessions that an owner's sign-ons left, the newest first.
  package func sessions(of owner: uid_t) throws -> [SignOnSession] { try store.sessions(of: owner) }

  /// The session that a user of an issuer left, or without a user what the sign-on itself left there.
  package func session(at issuer: String, of subject: String?, owner: uid_t) throws -> SignOnSession? {
    try store.sessions(of: owner).first { $0.issuer == issuer && $0.subject == subject }
  }

  /// The session of an account's user.
  package func session(ofAccount id: String, owner: uid_t) async throws -> SignOnSession {
    guard let account = try accounts(of: owner).first(where: { $0.id == id }) else { throw RPCError.notFound }
    let issuers = try await acceptedIssuers(of: owner)
    guard
      let session = try store.sessions(of: owner).first(where: {
        account.user != nil && $0.subject == account.user?.id && issuers.contains($0.issuer)
      })
    else { throw RPCError.notFound }
    return session
  }

  /// What is kept of a session; `nil` when it was ended.
  package func content(of session: SignOnSession, owner: uid_t) throws -> JSON? {
    try store.sessionContent(session.id, of: owner)
  }

  /// Keeps what a sign-on left, sealed, in the place of what an earlier one left there.
  ///
  /// Beyond so many the oldest is forgotten: a sign-on that succeeded must not fail for what others left.
  @discardableResult
  package func keepSession(
    _ content: JSON,
    at issuer: String,
    of subject: String?,
    owner: uid_t
  ) throws -> SignOnSession {
    let session = SignOnSession(
      id: try Self.makeID(),
      issuer: issuer,
      subject: subject,
      updatedAt: time.now()
    )
    try store.transaction { _ in
      let others = try store.sessions(of: owner).filter { $0.issuer != issuer || $0.subject != subject }
      for oldest in others.dropFirst(Self.maximumSessions - 1) {
        try store.deleteSession(oldest.id, of: owner)
      }
      try store.putSession(session, content, of: owner)
    }
    return session
  }

  /// Changes what is kept of a session.
  package func updateSession(_ session: SignOnSession, _ content: JSON, owner: uid_t) throws {
    try store.updateSession(session.id, content, of: owner, now: time.now())
  }

  package func forgetSession(_ session: SignOnSession, owner: uid_t) throws {
    try store.deleteSession(session.id, of: owner)
  }
}
