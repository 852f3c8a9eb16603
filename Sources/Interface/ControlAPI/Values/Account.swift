package import Configuration
package import JSON
package import Time

/// A pairing that is in force.
package struct Account: ControlValue {
  /// Whether it can be used.
  package enum State: String, CaseIterable, Sendable {
    /// It is in force.
    case active
    /// Its platform does not know it any more.
    case revoked
    /// Its owner removed it; only an event says this.
    case removed
  }

  package let id: String
  package let geography: Geography
  /// The id of the environment.
  package let environment: String
  /// Whose account it is.
  package let user: User
  /// What it is called without a nickname.
  package let label: String
  /// What its owner calls it.
  package var nickname: String?
  /// What was set up.
  package let authenticators: [PairedAuthenticator]
  /// What keeps it from taking answers.
  package let lock: AccountLock?
  /// When it was made.
  package let createdAt: Timestamp
  /// Whether it can be used.
  package let state: State

  package init(
    id: String,
    geography: Geography,
    environment: String,
    user: User,
    label: String,
    nickname: String?,
    authenticators: [PairedAuthenticator],
    lock: AccountLock?,
    createdAt: Timestamp,
    state: State
  ) {
    (self.id, self.geography, self.environment, self.user) = (id, geography, environment, user)
    (self.label, self.nickname, self.authenticators) = (label, nickname, authenticators)
    (self.lock, self.createdAt, self.state) = (lock, createdAt, state)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "Account",
      schema: .object([
        .required("id", .identifier), .required("kind", .choice(["PINGONE", "OATH", "PUSH_AM"])),
        .optional("geo", .choice(Geography.allCases.map(\.rawValue))),
        .optional("environment", .object([.required("id", .identifier)])), .optional("user", User.schema),
        .optional("issuer", .text(maximum: 800)), .required("label", .text(maximum: 800)),
        .optional("nickname", .text(maximum: 800)),
        .required("authenticators", .array(PairedAuthenticator.schema)), .required("locked", .boolean),
        .optional("lock", AccountLock.schema), .required("createdAt", .instant),
        .optional("state", .choice(State.allCases.map(\.rawValue))),
      ])
    )
  )

  package var json: JSON {
    var object: JSONObject = [
      "id": .string(id), "kind": "PINGONE", "geo": .string(geography.rawValue),
      "environment": ["id": .string(environment)], "user": user.json, "label": .string(label),
    ]
    object["nickname"] = nickname.map { .string($0) }
    object["authenticators"] = .array(authenticators.map(\.json))
    object["locked"] = .bool(lock != nil)
    object["lock"] = lock?.json
    object["createdAt"] = .string(createdAt.text)
    if state != .active { object["state"] = .string(state.rawValue) }
    return .object(object)
  }
}
