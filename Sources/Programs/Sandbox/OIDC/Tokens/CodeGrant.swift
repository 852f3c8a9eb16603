import EventLoop
import HTTPServer
import JSON
import OpenSSL
import WebAddress

/// Tokens for an authorization code.
enum CodeGrant {
  @EventLoop
  static func tokens(
    _ parameters: [String: String],
    _ call: Call
  ) throws(PingOneError) -> HTTPResponse {
    let (tenant, realm) = (call.tenant, try call.provider().realm)
    let grant = try grant(parameters, tenant, realm)
    guard tenant.users[grant.session.user] != nil else { throw .oauth("invalid_grant", "the user is gone") }
    let family = tenant.startFamily(of: grant.session, scope: grant.request.scope)
    tenant.signOn.grants[grant.id]?.family = family.id
    return try tenant.tokenAnswer(
      of: family,
      scope: family.scope,
      refreshToken: try tenant.firstRefreshToken(of: family)
    ) { user in
      [
        ("nonce", grant.request.nonce.map { .string($0) }),
        ("mfa_pairing", tenant.pairingOffer(grant.request.payload, to: user)),
      ]
    }
  }

  /// The grant of the code, which is used up even when something else does not fit.
  ///
  /// A code that comes a second time was seen by somebody else, and ends what the first use gave.
  @EventLoop
  private static func grant(
    _ parameters: [String: String],
    _ tenant: Tenant,
    _ realm: String?
  ) throws(PingOneError) -> AuthorizationGrant {
    let id = try AuthorizationGrant.id(of: parameters["code"] ?? "")
    guard let grant = tenant.signOn.grants[id], grant.session.realm == realm else {
      throw .oauth("invalid_grant", "the code is not known")
    }
    guard !grant.isUsed else {
      if let family = grant.family { tenant.end(family) }
      throw .oauth("invalid_grant", "the code was used before")
    }
    tenant.signOn.grants[id]?.isUsed = true
    guard !tenant.clock.isOver(grant.deadline) else { throw .oauth("invalid_grant", "the code is over") }
    let redirect = parameters["redirect_uri"].flatMap { WebURL($0) }
    guard let redirect, grant.request.target.redirect.isRedirect(redirect) else {
      throw .oauth("invalid_grant", "the redirect_uri is another")
    }
    let verifier = parameters["code_verifier"] ?? ""
    let challenge = try SealedRequest.hash(Array(verifier.utf8))
    guard (43...128).contains(verifier.utf8.count),
      constantTimeEqual(Array(challenge.utf8), Array(grant.request.codeChallenge.utf8))
    else { throw .oauth("invalid_grant", "the code verifier does not fit") }
    return grant
  }
}
