package import JSON
package import Time

/// An authentication code that was claimed.
package struct AuthenticationObject: ControlValue {
  /// Where a code stands.
  package enum Status: String, CaseIterable, Sendable {
    case claimed = "CLAIMED"
    case expired = "EXPIRED"
    case denied = "DENIED"
    case completed = "COMPLETED"
  }

  package let id: String
  package let status: Status
  /// Who can authenticate with it.
  package let users: [User]
  /// REQUIRED or NOT_REQUIRED, as the relying party asked.
  package let userApproval: String
  /// What the relying party added.
  package let clientContext: JSON?
  /// When it is over.
  package let expiresAt: Timestamp

  package init(
    id: String,
    status: Status,
    users: [User],
    userApproval: String,
    clientContext: JSON?,
    expiresAt: Timestamp
  ) {
    (self.id, self.status, self.users, self.userApproval) = (id, status, users, userApproval)
    (self.clientContext, self.expiresAt) = (clientContext, expiresAt)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "AuthenticationObject",
      schema: .object([
        .required("id", .identifier), .required("status", .choice(Status.allCases.map(\.rawValue))),
        .required(
          "users",
          .array(
            .object([
              .required("userId", .identifier), .optional("username", .text(maximum: 800)),
              .optional("email", .text(maximum: 800)), .optional("given", .text(maximum: 800)),
              .optional("family", .text(maximum: 800)),
            ])
          )
        ), .required("userApproval", .choice(["REQUIRED", "NOT_REQUIRED"])),
        .optional("clientContext", .anything), .required("expiresAt", .instant),
      ])
    )
  )

  package var json: JSON {
    var object: JSONObject = [
      "id": .string(id), "status": .string(status.rawValue), "users": .array(users.map(Self.flat)),
      "userApproval": .string(userApproval),
    ]
    object["clientContext"] = clientContext
    object["expiresAt"] = .string(expiresAt.text)
    return .object(object)
  }

  private static func flat(_ user: User) -> JSON {
    var object: JSONObject = ["userId": .string(user.id)]
    object["username"] = user.username.map { .string($0) }
    object["email"] = user.email.map { .string($0) }
    object["given"] = user.given.map { .string($0) }
    object["family"] = user.family.map { .string($0) }
    return .object(object)
  }
}
