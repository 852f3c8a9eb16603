package import JSON
package import Time

/// Why an account takes no answers, and until when.
package struct AccountLock: ControlValue, Equatable {
  /// What the platform calls the policy that closed it.
  package let policy: String
  /// When it opens again; one without lasts until somebody opens it.
  package let expiresAt: Timestamp?

  package init(policy: String, expiresAt: Timestamp?) {
    (self.policy, self.expiresAt) = (policy, expiresAt)
  }

  package static let schema = Schema.object([
    .required("policy", .text(maximum: 800)), .optional("expiresAt", .instant),
  ])

  package var json: JSON { .object(members) }

  /// Its members, which the error of an account that is locked has too.
  var members: JSONObject {
    var object: JSONObject = ["policy": .string(policy)]
    object["expiresAt"] = expiresAt.map { .string($0.text) }
    return object
  }
}
