internal import JSON
package import Time

/// Why an account takes no answers, and until when.
package struct AccountLock: ControlObject, Equatable {
  package let policy: String
  package let expiresAt: Timestamp?

  package init(policy: String, expiresAt: Timestamp?) {
    (self.policy, self.expiresAt) = (policy, expiresAt)
  }

  package static let shape = Shape(
    "AccountLock",
    AccountLock.init(policy:expiresAt:),
    .required("policy", \.policy, "what the platform calls the policy"),
    .optional("expiresAt", \.expiresAt, "when it opens; without it when somebody opens it")
  )

  /// What the error of an account that is locked tells of it.
  var details: JSONObject {
    var object: JSONObject = ["policy": .string(policy)]
    object["expiresAt"] = expiresAt.map { .string($0.text) }
    return object
  }
}
