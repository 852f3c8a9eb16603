package import JSON

/// A push after it was looked at or decided.
package struct NotificationResult: ControlObject {
  package let notification: NotificationObject
  package let confirmationInfo: JSON?
  package let lock: AccountLock?

  /// A push, with what the platform said to the decision.
  package init(_ notification: NotificationObject, confirmationInfo: JSON? = nil, lock: AccountLock? = nil) {
    (self.notification, self.confirmationInfo, self.lock) = (notification, confirmationInfo, lock)
  }

  package static let shape = Shape(
    "NotificationResult",
    NotificationResult.init(_:confirmationInfo:lock:),
    .required("notification", \.notification, "the push"),
    .optional("confirmationInfo", \.confirmationInfo, "what the platform said to an approval"),
    .optional("lock", \.lock, "what locked the account with this very decision")
  )
}
