import JSON

extension User: Recorded {
  static let kind = "user"

  var record: JSON {
    .present([
      ("id", .id(id)), ("username", .string(username)), ("password", password.map { .string($0) }),
      ("email", email.map { .string($0) }), ("given", given.map { .string($0) }),
      ("family", family.map { .string($0) }), ("mfaEnabled", .bool(mfaEnabled)),
      ("createdAt", .instant(createdAt)), ("updatedAt", .instant(updatedAt)), ("failures", .int(failures)),
      ("lock", lock?.record), ("deviceOrder", deviceOrder.map { .strings($0.map(\.text)) }),
      ("passwordStatus", .choice(passwordStatus)), ("verified", .bool(isVerified)),
    ])
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: User.self), let username = record.text("username"),
      let mfaEnabled = record.bool("mfaEnabled"), let createdAt = record.time("createdAt"),
      let updatedAt = record.time("updatedAt")
    else { return nil }
    self.init(
      id: id,
      username: username,
      password: record.text("password"),
      email: record.text("email"),
      given: record.text("given"),
      family: record.text("family"),
      mfaEnabled: mfaEnabled,
      createdAt: createdAt,
      updatedAt: updatedAt,
      failures: record.int("failures") ?? 0,
      lock: record.record("lock").map { UserLock($0) },
      deviceOrder: record.members["deviceOrder"]?.array.map { $0.compactMap { $0.string.map { ID($0) } } },
      passwordStatus: record.choice("passwordStatus", of: PasswordStatus.self) ?? .good,
      isVerified: record.bool("verified") ?? true
    )
  }
}

extension UserLock {
  fileprivate var record: JSON {
    switch self {
    case .until(let end): ["until": .deadline(end)]
    case .unlimited: [:]
    }
  }

  fileprivate init(_ record: Record) { self = record.deadline("until").map { .until($0) } ?? .unlimited }
}
