package import JSONRPC

package struct NotificationGet: ControlMethod {
  package static let name = "notification.get"
  package static let access = AccessClass.read
  package static let summary = "shows one push"
  package static let errors: [RPCError] = [.notFound, .keyUnavailable]
  package static let parameters = Shape(
    NotificationGet.init(notification:),
    .required("notification", \.notification, as: .identifier, "the push")
  )
  package static var example: Example<Self> {
    Example(
      NotificationGet(notification: "n1"),
      NotificationResult(Samples.notification)
    )
  }

  package typealias Result = NotificationResult

  package let notification: String

  package init(notification: String) { self.notification = notification }
}
