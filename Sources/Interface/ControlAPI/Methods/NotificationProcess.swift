package import JSON
package import JSONRPC

/// Takes a push as a transport delivered it.
package struct NotificationProcess: ControlMethod {
  package static let name = "notification.process"
  package static let access = AccessClass.answer
  package static let summary = "takes a push as a transport delivered it"
  package static let parameters: [Property] = [
    .required("payload", payload)
  ]
  package static let audit: AuditRule? = AuditRule(.answer(["notification", "id"]))

  /// The shape of a transport's message: an object, or the text that it stands in.
  static let payload = Schema.either(.text(maximum: 65_536), .map(.anything))

  /// The push, unless there is nothing to show.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([
      .required("notification", .nullable(NotificationObject.schema))
    ])

    /// The push, unless there is nothing to show.
    package let notification: NotificationObject?

    package var json: JSON { ["notification": notification?.json ?? .null] }

    /// The push, unless there is nothing to show.
    package init(notification: NotificationObject?) { self.notification = notification }
  }

  package let payload: JSON

  package init(_ parameters: Parameters) throws(RPCError) {
    payload = try parameters.value("payload")
  }
}
