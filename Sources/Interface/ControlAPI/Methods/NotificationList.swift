package import JSON
package import JSONRPC

/// Lists pushes, the newest first.
package struct NotificationList: ControlMethod {
  package static let name = "notification.list"
  package static let access = AccessClass.read
  package static let summary = "lists pushes, the newest first"
  package static let parameters: [Property] =
    [
      .optional("state", .choice(NotificationObject.State.allCases.map(\.rawValue)))
    ] + Page.parameters

  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("notifications", .array(NotificationObject.schema))])

    package let notifications: [NotificationObject]

    package var json: JSON { ["notifications": .array(notifications.map(\.json))] }

    package init(notifications: [NotificationObject]) { self.notifications = notifications }
  }

  /// Only pushes in this state.
  package let state: NotificationObject.State?

  /// Which part of the list.
  package let page: Page

  package init(_ parameters: Parameters) throws(RPCError) {
    state = parameters.optionalText("state").flatMap(NotificationObject.State.init(rawValue:))
    page = Page(parameters)
  }
}
