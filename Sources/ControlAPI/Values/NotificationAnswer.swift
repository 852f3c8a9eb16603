package import JSON

/// A push after it was looked at or answered.
package struct NotificationAnswer: ControlValue {
  /// The push.
  package let notification: NotificationObject
  /// What the platform said to an approval.
  package let confirmationInfo: JSON?

  /// A push, with what the platform said to its approval.
  package init(_ notification: NotificationObject, confirmationInfo: JSON? = nil) {
    (self.notification, self.confirmationInfo) = (notification, confirmationInfo)
  }

  package static let schema = Schema.object([
    .required("notification", NotificationObject.schema), .optional("confirmationInfo", .anything),
  ])

  /// The push.
  package var json: JSON {
    var object: JSONObject = ["notification": notification.json]
    object["confirmationInfo"] = confirmationInfo
    return .object(object)
  }
}
