import JSON
import Time

/// What a user lets a client do: the tokens of one sign-on and of everything that it was refreshed to.
struct TokenFamily: Stored, Codable {
  let id: ID<TokenFamily>
  let user: ID<User>
  let session: ID<SignOnSession>
  let scope: [String]
  let signedOnAt: Timestamp
  let methods: [String]
  let acr: String
  /// AM's realm that the tokens are of; `nil` for the platform's own.
  let realm: String?

  static let maximumCount = 1000
}

/// A token for `userinfo` that is out; one that is revoked or forgotten is not here.
struct AccessToken: Stored, Codable {
  let id: ID<AccessToken>
  let family: ID<TokenFamily>
  let deadline: Deadline

  static let maximumCount = 5000
}

/// A token for new tokens, known by its hash.
struct RefreshToken: Stored, Codable {
  let id: ID<RefreshToken>
  let family: ID<TokenFamily>
  let deadline: Deadline
  /// Whether another has come in its place; its use then is somebody else's.
  var isUsed = false

  static let maximumCount = 5000
}

/// All tokens that are out.
struct TokenState {
  var families = Shelf<TokenFamily>()
  var accessTokens = Shelf<AccessToken>()
  var refreshTokens = Shelf<RefreshToken>()
}

extension Tenant {
  /// Begins a family with what a session stands for.
  func startFamily(of session: SignOnSession, scope: [String]) -> TokenFamily {
    let family = TokenFamily(
      id: .random(),
      user: session.user,
      session: session.id,
      scope: scope,
      signedOnAt: session.signedOnAt,
      methods: session.methods,
      acr: session.acr,
      realm: session.realm
    )
    tokens.families.put(family, keeping: TokenFamily.maximumCount)
    return family
  }

  /// Ends a family: none of its tokens is good any more.
  func end(_ family: ID<TokenFamily>) {
    tokens.families[family] = nil
    tokens.accessTokens.removeAll { $0.family == family }
    tokens.refreshTokens.removeAll { $0.family == family }
  }

  /// Ends a session with all its tokens.
  func end(_ session: ID<SignOnSession>) {
    sessions[session] = nil
    for family in tokens.families.all where family.session == session { end(family.id) }
  }

  /// Makes a token for new tokens; only its hash is kept.
  func makeRefreshToken(of family: TokenFamily) throws(PingOneError) -> String {
    let text = randomText(43, of: tokenAlphabet)
    let token = RefreshToken(
      id: ID(try SealedRequest.hash(Array(text.utf8))),
      family: family.id,
      deadline: clock.deadline(in: oidcSettings.refreshTokenSeconds)
    )
    tokens.refreshTokens.removeAll { clock.isOver($0.deadline) }
    tokens.refreshTokens.put(token, keeping: RefreshToken.maximumCount)
    return text
  }
}
