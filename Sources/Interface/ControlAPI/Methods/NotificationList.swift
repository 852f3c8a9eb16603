package import JSONRPC

package struct NotificationList: ControlMethod {
  package static let name = "notification.list"
  package static let access = AccessClass.read
  package static let summary = "lists pushes, the newest first"
  package static let errors: [RPCError] = [.notFound, .keyUnavailable]
  package static let parameters = Shape(
    NotificationList.init(state:page:),
    .optional("state", \.state, "only pushes in this state"),
    .inline(\.page)
  )
  package static let envelope: Shape<[NotificationObject]>? = .member(
    "notifications",
    "the pushes, the newest first"
  )
  package static var example: Example<Self> {
    Example(NotificationList(state: .pending), [Samples.notification])
  }

  package let state: NotificationObject.State?
  package let page: Page

  package init(state: NotificationObject.State? = nil, page: Page = Page()) {
    (self.state, self.page) = (state, page)
  }
}
