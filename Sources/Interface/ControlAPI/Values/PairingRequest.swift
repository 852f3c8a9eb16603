package import Configuration
package import Time

/// A pairing that waits for its owner's word.
package struct PairingRequest: ControlObject {
  package let id: String
  package let user: User
  package let environment: Environment
  package let geography: Open<Geography>
  package let expiresAt: Timestamp

  package static let shape = Shape(
    "PairingRequest",
    PairingRequest.init(id:user:environment:geography:expiresAt:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("user", \.user, "who would be paired"),
    .required("environment", \.environment, "the environment of the user"),
    .required("geo", \.geography, "where the platform is"),
    .required("expiresAt", \.expiresAt, "when it is over")
  )
}

extension PairingRequest {
  package init(id: String, user: User, environment: String, geography: Geography, expiresAt: Timestamp) {
    let (environment, geography) = (Environment(id: environment), Open.known(geography))
    self.init(id: id, user: user, environment: environment, geography: geography, expiresAt: expiresAt)
  }
}
