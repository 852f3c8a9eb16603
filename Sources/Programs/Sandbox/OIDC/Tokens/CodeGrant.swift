import EventLoop
import HTTPServer
import JSON
import WebAddress

/// The grant of an authorization code, which is valid once; the identifier is the hash of the code.
struct AuthorizationGrant: Stored {
  let id: ID<AuthorizationGrant>
  let request: CheckedAuthorizationRequest
  let session: BrowserSession
  let deadline: EndTime
  var isUsed = false
  var family: ID<TokenFamily>?

  static let seconds = 600
  static let maximumCount = 1000
}

extension Tenant {
  /// Returns the response to a client after the sign-on: a code, with state and issuer.
  func authorizeResponse(to request: CheckedAuthorizationRequest, for session: BrowserSession)
    throws(ErrorResponse) -> [(
      String, String
    )]
  {
    let (code, deadline) = (randomText(43, of: tokenAlphabet), clock.deadline(in: AuthorizationGrant.seconds))
    let id = try ID<AuthorizationGrant>(hashing: code)
    grants.removeAll { clock.isOver($0.deadline) }
    grants.put(AuthorizationGrant(id: id, request: request, session: session, deadline: deadline))
    return request.target.members([("code", code)], issuer: provider(realm: session.realm).url)
  }
}

@EventLoop
enum CodeGrant {
  static func tokens(_ parameters: [String: String], _ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let tenant = call.tenant
    let grant = try grant(parameters, tenant, try call.provider().realm)
    guard tenant.users[grant.session.user] != nil else { throw .badGrant("the user was deleted") }
    let family = tenant.startFamily(of: grant.session, scope: grant.request.scope)
    tenant.grants[grant.id]?.family = family.id
    return try tenant.firstTokens(of: family) { user in
      JSONObject(of: [
        "nonce": grant.request.nonce, "mfa_pairing": tenant.pairingOffer(grant.request.payload, to: user),
      ])
    }
  }

  /// Returns the grant of a code.
  ///
  /// A known code is used up even if a later check fails.
  ///
  /// A code that is used twice may have leaked, so the second use revokes the tokens of the first.
  private static func grant(_ parameters: [String: String], _ tenant: Tenant, _ realm: String?)
    throws(ErrorResponse) -> AuthorizationGrant
  {
    let id = try ID<AuthorizationGrant>(hashing: parameters["code"] ?? "")
    guard let grant = tenant.grants[id], grant.session.realm == realm else {
      throw .badGrant("the code is not known")
    }
    guard !grant.isUsed else {
      if let family = grant.family { tenant.end(family) }
      throw .badGrant("the code was used before")
    }
    tenant.grants[id]?.isUsed = true
    guard !tenant.clock.isOver(grant.deadline) else { throw .badGrant("the code has expired") }
    let redirect = parameters["redirect_uri"].flatMap { WebURL($0) }
    guard let redirect, grant.request.target.redirect.isRedirect(redirect) else {
      throw .badGrant("the redirect_uri differs")
    }
    let verifier = parameters["code_verifier"] ?? ""
    let challenge = try SealedRequest.hash(Array(verifier.utf8))
    guard (43...128).contains(verifier.utf8.count), isSameSecret(challenge, grant.request.codeChallenge)
    else { throw .badGrant("the code verifier does not match") }
    return grant
  }
}

extension Tenant {
  /// Returns the claim of an ID token that offers to pair a device with the user, `nil` if there is no device
  /// to pair.
  fileprivate func pairingOffer(_ payload: MobilePayload?, to user: PlatformUser) -> JSON? {
    guard let payload, user.mfaEnabled, let device = trustedDevices[payload.device],
      !pairings(on: device.id).contains(where: { $0.user == user.id })
    else { return nil }
    guard policy.hasMobile, policy.autoEnrollment, !policy.pairingDisabled else { return nil }
    let key = makePairingKey(for: user.id, by: [application.id], device.geography)
    return .of([
      "key": key.code, "device": device.id, "payload": payload.id,
      "expiresAt": clock.instant(of: key.deadline),
    ])
  }
}

@EventLoop
enum RefreshGrant {
  static func tokens(_ parameters: [String: String], _ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, realm) = (call.tenant, try call.provider().realm)
    let id = try ID<RefreshToken>(hashing: parameters["refresh_token"] ?? "")
    guard let token = tenant.refreshTokens[id], let family = tenant.families[token.family],
      family.session.realm == realm
    else { throw .badGrant("the refresh token is not known or was revoked") }
    guard !token.isUsed else {
      // A token that is used twice may have leaked, so revoke the whole family.
      tenant.end(family.id)
      throw .badGrant("the refresh token was used before")
    }
    guard !tenant.clock.isOver(token.deadline) else { throw .badGrant("the refresh token has expired") }
    let scope = try scope(parameters["scope"], of: family)
    guard tenant.users[family.session.user] != nil else { throw .badGrant("the user was deleted") }
    var next: String?
    if tenant.oidcSettings.rotatesRefreshTokens {
      tenant.refreshTokens[id]?.isUsed = true
      next = try tenant.makeRefreshToken(of: family)
    }
    return try tenant.tokens(of: family, scope: scope, refreshToken: next)
  }

  /// Returns the requested part of the family's scope, RFC 6749 section 6.
  private static func scope(_ text: String?, of family: TokenFamily) throws(ErrorResponse) -> [String] {
    guard let text else { return family.scope }
    let scope = text.split(separator: " ").map { String($0) }
    guard !scope.isEmpty, Set(family.scope).isSuperset(of: scope) else {
      throw .oauth("invalid_scope", "the scope exceeds the granted scope")
    }
    return scope
  }
}
