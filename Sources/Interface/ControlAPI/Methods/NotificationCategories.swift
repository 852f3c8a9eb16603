package import JSONRPC

package struct NotificationCategories: ControlMethod {
  package static let name = "notification.categories"
  package static let access = AccessClass.read
  package static let summary = "lists the categories of pushes and their buttons"
  package static let errors: [RPCError] = []
  package static let parameters = Shape(NotificationCategories.init)
  package static let envelope: Shape<[NotificationCategory]>? = .member(
    "categories",
    "the categories that a push may name"
  )
  package static var example: Example<Self> { Example(NotificationCategories(), NotificationCategory.all) }

  package init() {}
}
