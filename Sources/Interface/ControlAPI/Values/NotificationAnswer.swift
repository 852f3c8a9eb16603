package import JSON

/// A push after it was looked at or answered.
package struct NotificationAnswer: ControlValue {
  package let notification: NotificationObject
  /// What the platform said to an approval.
  package let confirmationInfo: JSON?
  /// What closed the account with this very answer.
  package let lock: AccountLock?

  /// A push, with what the platform said to its answer.
  package init(_ notification: NotificationObject, confirmationInfo: JSON? = nil, lock: AccountLock? = nil) {
    (self.notification, self.confirmationInfo, self.lock) = (notification, confirmationInfo, lock)
  }

  package static let schema = Schema.object([
    .required("notification", NotificationObject.schema), .optional("confirmationInfo", .anything),
    .optional("lock", AccountLock.schema),
  ])

  package var json: JSON {
    var object: JSONObject = ["notification": notification.json]
    object["confirmationInfo"] = confirmationInfo
    object["lock"] = lock?.json
    return .object(object)
  }
}
