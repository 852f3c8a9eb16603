package import JSON
package import Time

/// A session that a sign-on left and the daemon keeps, sealed.
package struct SignOnSession: ControlValue {
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

  package static let schema = Schema.object([
    .required("id", .identifier), .required("issuer", .text(maximum: 2048)), .optional("user", .identifier),
    .required("updatedAt", .instant),
  ])

  package var json: JSON {
    var object: JSONObject = ["id": .string(id), "issuer": .string(issuer)]
    object["user"] = subject.map { .string($0) }
    object["updatedAt"] = .string(updatedAt.text)
    return .object(object)
  }
}
