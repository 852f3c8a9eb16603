package import Time

/// A session that a sign-on left and the daemon keeps, sealed.
package struct SignOnSession: ControlObject {
  package let id: String
  /// Where it is: an issuer, or a realm of PingAM.
  package let issuer: String
  /// The user's id there; absent where only the sign-on itself is remembered.
  package let subject: String?
  /// When it was last changed.
  package let updatedAt: Timestamp

  package init(id: String, issuer: String, subject: String?, updatedAt: Timestamp) {
    (self.id, self.issuer, self.subject, self.updatedAt) = (id, issuer, subject, updatedAt)
  }

  package static let shape = Shape(
    "Session",
    SignOnSession.init(id:issuer:subject:updatedAt:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("issuer", \.issuer, as: .text(maximum: 2048), "where it is: an issuer, or a realm of PingAM"),
    .optional("user", \.subject, as: .text(maximum: 255), "the user's id there"),
    .required("updatedAt", \.updatedAt, "when it was changed last")
  )
}
