package import Configuration
package import Time

/// A pairing that waits for its owner's word.
package struct PairingRequest: ControlObject {
  package let id: String
  package let user: User
  /// The id of the user's environment.
  package let environment: String
  package let geography: Open<Geography>
  package let expiresAt: Timestamp

  package init(id: String, user: User, environment: String, geography: Geography, expiresAt: Timestamp) {
    self.init(id, user, Environment(id: environment), .known(geography), expiresAt)
  }

  private var wireEnvironment: Environment { Environment(id: environment) }

  private init(
    _ id: String,
    _ user: User,
    _ environment: Environment,
    _ geography: Open<Geography>,
    _ expiresAt: Timestamp
  ) {
    (self.id, self.user, self.environment) = (id, user, environment.id)
    (self.geography, self.expiresAt) = (geography, expiresAt)
  }

  package static let shape = Shape(
    "PairingRequest",
    PairingRequest.init(_:_:_:_:_:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("user", \.user, "who would be paired"),
    .required("environment", \.wireEnvironment, "the environment of the user"),
    .required("geo", \.geography, "where the platform is"),
    .required("expiresAt", \.expiresAt, "when it is over")
  )
}
