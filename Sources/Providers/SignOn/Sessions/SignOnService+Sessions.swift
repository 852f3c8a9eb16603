internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
public import Glibc
public import JSON
internal import JSONRPC
internal import Journal
internal import OpenIDConnect
internal import Time
internal import Vault
internal import WebAddress

extension SignOnService {
  /// An access token that expires within this number of seconds is refreshed before use.
  private static let refreshThreshold = 30

  /// Stores the session of a sign-on, replacing the user's earlier session at the same issuer.
  func keep(_ tokens: Tokens, of token: IDToken, _ login: Login) throws {
    guard let issuer = login.client?.issuer.issuer else { return }
    let cookies = login.call.wantsNoSession ? [] : login.transport.cookies.sessionCookies
    try parts.sessions.keep(
      KeptSession(tokens: tokens, cookies: cookies).json,
      at: issuer,
      of: token.user.id,
      owner: login.owner
    )
  }

  /// Returns the issuer's claims about an account's user.
  ///
  /// Requests them from the issuer if `isFresh` is true or none are stored.
  public func userinfo(of account: String, isFresh: Bool, owner: uid_t) async throws -> JSONObject {
    let session = try await session(ofAccount: account, owner: owner)
    if !isFresh, let claims = try kept(session, owner: owner).claims { return claims }
    // Concurrent calls share one request to the issuer.
    return try await inquiries.run(OwnedKey(session.id, of: owner), changing: parts.core.vault) {
      [self] in
      try await freshClaims(of: session, owner: owner)
    }
  }

  private func session(ofAccount id: String, owner: uid_t) async throws -> SignOnSession {
    guard let user = try parts.platform.user(id, owner) else { throw RPCError.noSuch("account") }
    let sessions = try await parts.platform.acceptedIssuers(owner).compactMap { issuer in
      try parts.sessions.session(at: issuer, of: user, owner: owner)
    }
    guard let newest = sessions.max(by: { $0.updatedAt < $1.updatedAt }) else {
      throw RPCError.noSuch("session")
    }
    return newest
  }

  private func freshClaims(of session: SignOnSession, owner: uid_t) async throws -> JSONObject {
    let tokens = try await tokens(of: session, owner: owner)
    let client = try await client(of: session, owner: owner)
    let claims = try await client.userinfo(tokens)
    // OpenID Connect Core section 5.3.2: a response with another `sub` must not be used.
    guard let subject = session.subject, claims["sub"]?.string?.hasSameBytes(as: subject) == true else {
      throw RPCError.serverError
    }
    var current = try kept(session, owner: owner)
    current.claims = claims
    try parts.sessions.update(session, current.json, owner: owner)
    return claims
  }

  /// Ends the session of an account's user.
  public func logOut(ofAccount account: String, owner: uid_t) async throws {
    try await end(try await session(ofAccount: account, owner: owner), owner: owner)
  }

  public func endSession(_ id: String, owner: uid_t) async throws {
    guard let session = try parts.sessions.list(of: owner).first(where: { $0.id == id }) else {
      throw RPCError.noSuch("session")
    }
    try await end(session, owner: owner)
  }

  /// Ends a session: first locally, so that no later error prevents it, then at the issuer if it responds.
  private func end(_ session: SignOnSession, owner: uid_t) async throws {
    let content = try parts.sessions.content(of: session, owner: owner)
    try parts.sessions.forget(session, owner: owner)
    try await parts.core.vault.committed()
    do {
      if let journey = content.flatMap({ JourneySession($0) }) {
        return try await logOut(journey, of: session, owner: owner)
      }
      guard let kept = content.flatMap({ KeptSession($0) }) else { return }
      let client = try await client(of: session, owner: owner)
      client.transport.cookies.restore(kept.cookies, now: parts.core.time.now())
      do { try await client.revoke(kept.tokens) } catch {
        // An issuer without a working revocation may still end the session.
        try await client.signOff(kept.tokens)
        throw error
      }
      try await client.signOff(kept.tokens)
    } catch {
      Journal.warning("a session was ended here, but not at its issuer", ["uid": owner])
    }
  }

  /// Returns the stored tokens; refreshes them first if the access token expires soon.
  ///
  /// Concurrent calls share one refresh, because an issuer may end the session if a refresh token is used
  /// twice.
  private func tokens(of session: SignOnSession, owner: uid_t) async throws -> Tokens {
    let kept = try kept(session, owner: owner)
    if kept.tokens.expiresAt > parts.core.time.now().adding(seconds: Self.refreshThreshold) {
      return kept.tokens
    }
    return try await refreshes.run(OwnedKey(session.id, of: owner), changing: parts.core.vault) {
      [self] in
      try await refresh(session, owner: owner)
    }
  }

  private func refresh(_ session: SignOnSession, owner: uid_t) async throws -> Tokens {
    var current = try kept(session, owner: owner)
    do {
      let tokens = try await client(of: session, owner: owner).refresh(current.tokens)
      if tokens.idToken != current.tokens.idToken { try await check(tokens, of: session, owner: owner) }
      current.tokens = tokens
    } catch let error as OAuthError {
      // Only the error `invalid_grant` means that the issuer has ended the session.
      guard error.code == "invalid_grant" else {
        throw RPCError.issuerFailed.withCause(.http, status: error.status, at: WebURL(session.issuer)?.origin)
      }
      try parts.sessions.forget(session, owner: owner)
      throw RPCError.expired
    }
    try parts.sessions.update(session, current.json, owner: owner)
    return current.tokens
  }

  /// Checks that the ID token of a refresh belongs to the same user, OpenID Connect Core section 12.2.
  private func check(_ tokens: Tokens, of session: SignOnSession, owner: uid_t) async throws {
    guard let text = tokens.idToken else { return }
    let token: IDToken
    do {
      token = try await directory.verify(
        text,
        issuers: [session.issuer],
        nonce: nil,
        accessToken: tokens.accessToken,
        owner: owner
      )
    } catch let error as RPCError {
      guard error == .tokenRejected else { throw error }
      throw RPCError.issuerFailed.withCause(.malformed, at: WebURL(session.issuer)?.origin)
    }
    guard let subject = session.subject, token.user.id.hasSameBytes(as: subject) else {
      throw RPCError.issuerFailed.withCause(.malformed, at: WebURL(session.issuer)?.origin)
    }
  }

  /// Returns the content of a session.
  ///
  /// Throws `noSuch` if the configuration does not keep sessions. A session can be ended even then.
  private func kept(_ session: SignOnSession, owner: uid_t) throws -> KeptSession {
    guard directory.configuration.keepsSession else { throw RPCError.noSuch("session") }
    guard let kept = try parts.sessions.content(of: session, owner: owner).flatMap({ KeptSession($0) }) else {
      throw RPCError.noSuch("session")
    }
    return kept
  }

  private func client(of session: SignOnSession, owner: uid_t) async throws -> OIDCClient {
    guard let origin = WebURL(session.issuer)?.origin else { throw RPCError.noSuch("session") }
    return try await client(of: session.issuer, over: transport(to: origin, of: owner))
  }
}
