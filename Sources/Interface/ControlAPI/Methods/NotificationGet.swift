package import JSONRPC

package struct NotificationGet: ControlMethod {
  package static let name = "notification.get"
  package static let access = AccessClass.read
  package static let summary = "shows one push"
  package static let parameters: [Property] = [
    .required("notification", .identifier)
  ]

  package typealias Answer = NotificationAnswer

  package let notification: String

  package init(_ parameters: Parameters) throws(RPCError) {
    notification = try parameters.text("notification")
  }
}
