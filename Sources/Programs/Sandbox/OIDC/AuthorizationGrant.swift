import JSON

/// What an authorization code stands for, once; it is known by the code's hash.
struct AuthorizationGrant: Stored {
  let id: ID<AuthorizationGrant>
  let request: AuthorizationRequest
  let session: SignOnSession
  let deadline: Deadline
  var isUsed = false
  /// The tokens that the code was used for.
  var family: ID<TokenFamily>?

  static let seconds = 600

  static func id(of code: String) throws(PingOneError) -> ID<AuthorizationGrant> {
    ID(try SealedRequest.hash(Array(code.utf8)))
  }
}

extension Tenant {
  /// What the client is told when the user has signed on: a code, with state and issuer.
  func authorizeResponse(
    to request: AuthorizationRequest,
    for session: SignOnSession
  ) throws(PingOneError) -> [(String, String)] {
    let code = randomText(43, of: tokenAlphabet)
    let grant = AuthorizationGrant(
      id: try AuthorizationGrant.id(of: code),
      request: request,
      session: session,
      deadline: clock.deadline(in: AuthorizationGrant.seconds)
    )
    signOn.grants.removeAll { clock.isOver($0.deadline) }
    signOn.grants.put(grant, keeping: SignOnState.maximumCount)
    return request.target.members([("code", code)], issuer: provider(realm: session.realm).url)
  }
}
