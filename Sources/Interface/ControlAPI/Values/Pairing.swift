package import Configuration
package import JSON
package import Time

/// One way to authenticate that a pairing set up, or did not.
package struct PairedAuthenticator: ControlValue, Equatable {
  package let type: String
  package let status: String
  /// Why it failed, by the native SDK's name.
  package var errorCode: String?
  /// Why it failed, for a person.
  package var errorMessage: String?

  /// An authenticator with its outcome.
  package init(type: String, status: String, errorCode: String? = nil, errorMessage: String? = nil) {
    (self.type, self.status, self.errorCode, self.errorMessage) = (type, status, errorCode, errorMessage)
  }

  package static let schema = Schema.object([
    .required("type", .choice(["PUSH", "OTP"])), .required("status", .choice(["COMPLETED", "FAILED"])),
    .optional("errorCode", .text(maximum: 800)), .optional("errorMessage", .text(maximum: 800)),
  ])

  /// The authenticator with its outcome.
  package var json: JSON {
    var object: JSONObject = ["type": .string(type), "status": .string(status)]
    object["errorCode"] = errorCode.map { .string($0) }
    object["errorMessage"] = errorMessage.map { .string($0) }
    return .object(object)
  }
}

/// The outcome of a pairing.
package struct PairingInfo: ControlValue {
  /// The id of the account that it made.
  package let account: String
  /// Whose account it is.
  package let user: User
  /// What was set up.
  package let authenticators: [PairedAuthenticator]
  /// Whether the organization wants its owner to be asked what the machine is called.
  package let wantsNickname: Bool

  package init(
    account: String,
    user: User,
    authenticators: [PairedAuthenticator],
    wantsNickname: Bool = false
  ) {
    (self.account, self.user, self.authenticators) = (account, user, authenticators)
    self.wantsNickname = wantsNickname
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "PairingInfo",
      schema: .object([
        .required("account", .identifier), .required("user", User.schema),
        .required("authenticators", .array(PairedAuthenticator.schema)),
        .optional(
          "promptForNickname",
          .boolean,
          "the organization wants a name of this machine; account.rename gives it"
        ),
      ])
    )
  )

  package var json: JSON {
    var object: JSONObject = [
      "account": .string(account), "user": user.json,
      "authenticators": .array(authenticators.map(\.json)),
    ]
    if wantsNickname { object["promptForNickname"] = true }
    return .object(object)
  }
}

/// A pairing that waits for its owner's word.
package struct PairingRequest: ControlValue {
  package let id: String
  /// Who would be paired.
  package let user: User
  /// The id of their environment.
  package let environment: String
  package let geography: Geography
  /// When it is over.
  package let expiresAt: Timestamp

  package init(id: String, user: User, environment: String, geography: Geography, expiresAt: Timestamp) {
    self.id = id
    (self.user, self.environment, self.geography, self.expiresAt) = (user, environment, geography, expiresAt)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "PairingRequest",
      schema: .object([
        .required("id", .identifier), .required("user", User.schema),
        .required("environment", .object([.required("id", .identifier)])),
        .required("geo", .choice(Geography.allCases.map(\.rawValue))), .required("expiresAt", .instant),
      ])
    )
  )

  package var json: JSON {
    [
      "id": .string(id), "user": user.json, "environment": ["id": .string(environment)],
      "geo": .string(geography.rawValue), "expiresAt": .string(expiresAt.text),
    ]
  }
}
