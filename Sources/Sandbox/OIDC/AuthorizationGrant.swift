import JSON

/// What an authorization code stands for, once.
struct AuthorizationGrant: Stored {
  let id: ID<AuthorizationGrant>
  let request: AuthorizationRequest
  let session: SignOnSession
  let deadline: Deadline

  static let seconds = 600
}

extension Tenant {
  /// What the client is told when the user has signed on: a code, with state and issuer.
  func authorizeResponse(
    to request: AuthorizationRequest,
    for session: SignOnSession
  ) -> [(String, String)] {
    let grant = AuthorizationGrant(
      id: ID(randomText(43, of: tokenAlphabet)),
      request: request,
      session: session,
      deadline: clock.deadline(in: AuthorizationGrant.seconds)
    )
    signOn.grants.put(grant, keeping: SignOnState.maximumCount)
    return request.target.members([("code", grant.id.text)], issuer: issuer)
  }
}
