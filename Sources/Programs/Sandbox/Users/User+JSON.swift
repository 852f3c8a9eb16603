import JSON

extension Tenant {
  /// The address of a user in the management API.
  func url(of user: User) -> String { "\(managementURL)/users/\(user.id.text)" }

  /// A user as the management API shows it.
  func json(of user: User) -> JSON {
    .present([
      ("_links", .links([("self", url(of: user)), ("environment", managementURL)])),
      ("id", .id(user.id)), ("environment", .reference(environment.id)),
      ("username", .string(user.username)), ("email", user.email.map { .string($0) }), ("name", user.name),
      ("enabled", true), ("account", account(of: user)), ("mfaEnabled", .bool(user.mfaEnabled)),
      ("createdAt", .time(user.createdAt)), ("updatedAt", .time(user.updatedAt)),
    ])
  }

  private func account(of user: User) -> JSON {
    let lock = lock(of: user)
    var members: JSONObject = [
      "canAuthenticate": .bool(lock == nil), "status": lock == nil ? "OK" : "LOCKED",
    ]
    if case .until(let end) = lock { members["unlockAt"] = .time(clock.instant(of: end)) }
    return .object(members)
  }
}
