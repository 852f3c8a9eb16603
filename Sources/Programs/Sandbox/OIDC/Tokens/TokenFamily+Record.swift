import JSON

extension TokenFamily: Recorded {
  static let kind = "token family"

  var record: JSON {
    [
      "id": .id(id), "user": .id(user), "session": .id(session), "scope": .strings(scope),
      "signedOnAt": .instant(signedOnAt), "methods": .strings(methods), "acr": .string(acr),
      "realm": realm.map { .string($0) } ?? .null,
    ]
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: TokenFamily.self), let user = record.id("user", of: User.self),
      let session = record.id("session", of: SignOnSession.self),
      let signedOnAt = record.time("signedOnAt"), let acr = record.text("acr")
    else { return nil }
    self.init(
      id: id,
      user: user,
      session: session,
      scope: record.texts("scope"),
      signedOnAt: signedOnAt,
      methods: record.texts("methods"),
      acr: acr,
      realm: record.text("realm")
    )
  }
}

extension AccessToken: Recorded {
  static let kind = "access token"

  var record: JSON { ["id": .id(id), "family": .id(family), "deadline": .deadline(deadline)] }

  init?(_ record: Record) {
    guard let id = record.id("id", of: AccessToken.self),
      let family = record.id("family", of: TokenFamily.self),
      let deadline = record.deadline("deadline")
    else { return nil }
    self.init(id: id, family: family, deadline: deadline)
  }
}

extension RefreshToken: Recorded {
  static let kind = "refresh token"

  var record: JSON {
    [
      "id": .id(id), "family": .id(family), "deadline": .deadline(deadline), "used": .bool(isUsed),
    ]
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: RefreshToken.self),
      let family = record.id("family", of: TokenFamily.self), let deadline = record.deadline("deadline"),
      let isUsed = record.bool("used")
    else { return nil }
    self.init(id: id, family: family, deadline: deadline, isUsed: isUsed)
  }
}

extension SignOnSession: Recorded {
  static let kind = "session"

  var record: JSON {
    [
      "id": .id(id), "user": .id(user), "signedOnAt": .instant(signedOnAt), "methods": .strings(methods),
      "acr": .string(acr), "deadline": .deadline(deadline), "token": .string(token),
      "realm": realm.map { .string($0) } ?? .null,
    ]
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: SignOnSession.self), let user = record.id("user", of: User.self),
      let signedOnAt = record.time("signedOnAt"), let acr = record.text("acr"),
      let deadline = record.deadline("deadline"), let token = record.text("token")
    else { return nil }
    self.init(
      id: id,
      user: user,
      signedOnAt: signedOnAt,
      methods: record.texts("methods"),
      acr: acr,
      deadline: deadline,
      token: token,
      realm: record.text("realm")
    )
  }
}
