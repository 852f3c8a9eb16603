/// What a user lets a client do: the tokens of one sign-on and of everything that it was refreshed to.
struct TokenFamily: Stored, Codable {
  let id: ID<TokenFamily>
  /// The session that it began with, as it was then.
  let session: SignOnSession
  let scope: [String]

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

extension Tenant {
  func startFamily(of session: SignOnSession, scope: [String]) -> TokenFamily {
    let family = TokenFamily(id: .random(), session: session, scope: scope)
    families.put(family)
    return family
  }

  func end(_ family: ID<TokenFamily>) {
    families[family] = nil
    accessTokens.removeAll { $0.family == family }
    refreshTokens.removeAll { $0.family == family }
  }

  func end(_ session: ID<SignOnSession>) {
    sessions[session] = nil
    for family in families.all where family.session.id == session { end(family.id) }
  }

  func makeRefreshToken(of family: TokenFamily) throws(Refusal) -> String {
    let text = randomText(43, of: tokenAlphabet)
    let deadline = clock.deadline(in: self.oidcSettings.refreshTokenSeconds)
    refreshTokens.removeAll { clock.isOver($0.deadline) }
    refreshTokens.put(RefreshToken(id: try ID(hashing: text), family: family.id, deadline: deadline))
    return text
  }
}

extension ID {
  init(hashing text: String) throws(Refusal) { self.init(try SealedRequest.hash(Array(text.utf8))) }
}
