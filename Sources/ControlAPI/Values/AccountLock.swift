package import JSON
package import Time

/// Why an account takes no answers, and until when.
package struct AccountLock: ControlValue, Equatable {
  /// What the platform calls the policy that closed it.
  package let policy: String
  /// When it opens again.
  package let expiresAt: Timestamp

  /// A lock.
  package init(policy: String, expiresAt: Timestamp) {
    (self.policy, self.expiresAt) = (policy, expiresAt)
  }

  package static let schema = Schema.object([
    .required("policy", .text(maximum: 800)), .required("expiresAt", .instant),
  ])

  /// The lock.
  package var json: JSON { ["policy": .string(policy), "expiresAt": .string(expiresAt.text)] }
}
