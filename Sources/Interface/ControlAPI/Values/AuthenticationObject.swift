package import JSON
package import Time

/// An authentication code that was claimed.
package struct AuthenticationObject: ControlObject {
  package enum Status: String, ControlChoice {
    case claimed = "CLAIMED"
    case expired = "EXPIRED"
    case denied = "DENIED"
    case completed = "COMPLETED"
  }

  /// A user of the native SDK's form, whose name stands beside the rest.
  package struct Candidate: ControlObject, Equatable {
    package let id: String
    package let username: String?
    package let email: String?
    package let given: String?
    package let family: String?

    package static let shape = Shape(
      Candidate.init(id:username:email:given:family:),
      .required("userId", \.id, as: .identifier, "the id to approve or deny with, where there are several"),
      .optional("username", \.username, "the name to sign on with"),
      .optional("email", \.email, "the address of e-mail"),
      .optional("given", \.given, "the given name"),
      .optional("family", \.family, "the family name")
    )
  }

  package let id: String
  package let status: Open<Status>
  package let users: [Candidate]
  package let userApproval: String
  package let clientContext: JSON?
  package let expiresAt: Timestamp

  package static let shape = Shape(
    "AuthenticationObject",
    AuthenticationObject.init(id:status:users:userApproval:clientContext:expiresAt:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("status", \.status, "where it stands"),
    .required("users", \.users, "who can authenticate with it"),
    .required(
      "userApproval",
      \.userApproval,
      as: .choice(["REQUIRED", "NOT_REQUIRED"]),
      "whether the relying party wants the user asked"
    ),
    .optional("clientContext", \.clientContext, "what the relying party added"),
    .required("expiresAt", \.expiresAt, "when it is over")
  )
}

extension AuthenticationObject {
  package init(
    id: String,
    status: Status,
    users: [User],
    userApproval: String,
    clientContext: JSON?,
    expiresAt: Timestamp
  ) {
    self.init(
      id: id,
      status: .known(status),
      users: users.map(Candidate.init),
      userApproval: userApproval,
      clientContext: clientContext,
      expiresAt: expiresAt
    )
  }
}

extension AuthenticationObject.Candidate {
  fileprivate init(_ user: User) {
    (id, username, email) = (user.id, user.username, user.email)
    (given, family) = (user.name?.given, user.name?.family)
  }
}
