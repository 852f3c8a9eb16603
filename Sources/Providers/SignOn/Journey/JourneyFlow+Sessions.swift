internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Journal
internal import UserDevices
internal import WebAddress

extension JourneyFlow {
  /// Returns the stored session of the owner's earlier journey; `nil` if this sign-on must not use one.
  func keptSession() throws -> (session: SignOnSession, content: JourneySession)? {
    // Device management has a session of its own, which is ended afterwards.
    guard login.keepsSession, !login.call.forcesAuthentication, login.call.devices == nil,
      let session = try login.parts.sessions.session(
        at: server.authenticate.text,
        of: nil,
        owner: login.owner
      ),
      let content = try login.parts.sessions.content(of: session, owner: login.owner)
    else { return nil }
    return JourneySession(content).map { (session, $0) }
  }

  /// Completes a journey: gets tokens with its session if there is an issuer.
  ///
  /// Stores the session if the settings keep sessions.
  func finish(_ session: JourneySession) async throws -> Step {
    let kept = try keptSession()
    let tokens: Tokens?
    do { tokens = try await self.tokens(for: session) } catch let failure as SignOnFailure {
      // A session that yields no tokens is also useless for the next sign-on.
      if let kept, kept.content == session {
        try login.parts.sessions.forget(kept.session, owner: login.owner)
      }
      throw failure
    }
    if login.keepsSession, kept?.content != session {
      try login.parts.sessions.keep(
        session.json,
        at: server.authenticate.text,
        of: nil,
        owner: login.owner
      )
    }
    return .done(tokens)
  }

  /// Carries out the requested device changes; then ends the session, so that a leaked token is useless.
  func manage(_ orders: DeviceOrders) async -> Step {
    guard let session else { return .managed(nil, .failed(orders, .sessionNeeded)) }
    let (transport, login) = (login.transport, login)
    let grant = SessionGrant(
      owner: login.owner,
      realm: server.realm,
      field: server.header(for: session),
      send: { try await transport.send($0.method, $0.url, headers: $0.headers, body: $0.body) },
      isOver: { login.isOver }
    )
    let result = await login.parts.sessionDevices.carryOut(orders, grant)
    if let unbound = result.unbound { forgetKeys(of: unbound) }
    do { try await transport.reopened().logOut(session, at: server.realm, cookie: server.cookie) } catch {
      Journal.warning("a session could not be ended at its server", ["uid": login.owner])
    }
    return .managed(result.user, result.outcome)
  }

  /// Removes this machine's keys for a user after the user's last bound key was removed at the server.
  ///
  /// The server no longer accepts these keys, but they would count against the limit for new keys.
  private func forgetKeys(of user: String) {
    do {
      for key in try boundKeys() where key.user.hasSameBytes(as: user) {
        try login.parts.boundKeys.discard(key)
      }
    } catch {
      Journal.warning("keys that no server accepts any more could not be removed", ["uid": login.owner])
    }
  }

  /// Gets tokens with a session; `nil` without an issuer.
  private func tokens(for session: JourneySession) async throws -> Tokens? {
    guard let client = login.client else { return nil }
    // Only PingOne offers pairings; this issuer is a PingAM server.
    let request = try await login.makeRequest(responseMode: nil, pairs: false, isAnew: false)
    let url = try await client.authorizationURL(request)
    let headers = JourneyServer.headers + [server.header(for: session)]
    let response = try await login.transport.send(.get, url, headers: headers)
    if response.status >= 500 { throw SignOnFailure.serverError }
    guard (300..<400).contains(response.status), let location = response.values(of: "Location").first else {
      // The response is an OAuth error, or a page that requests consent or authentication.
      throw OAuthError(response).map { .refused($0) } ?? SignOnFailure.noCode
    }
    let code = try request.code(in: try request.response(at: location), from: client.issuer)
    return try await login.exchange(code)
  }
}

extension AuthorizationRequest {
  /// Returns the parameters of a redirect, which must match this request's redirect URI.
  func response(at location: String) throws(SignOnFailure) -> JSONObject {
    guard let address = RedirectAddress(location), address.leads(to: redirectURI), !address.isBare else {
      throw .redirected
    }
    guard let members = address.members else { throw .malformed }
    return members
  }
}

extension RPCError {
  fileprivate static let sessionNeeded = RPCError.policyRefuses.with(["policy": "session"])
    .withMessage("the journey ended without a session, which device management requires")
}
