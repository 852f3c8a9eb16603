package import JSONRPC

package struct NotificationCategories: ControlMethod {
  package static let name = "notification.categories"
  package static let access = AccessClass.read
  package static let summary = "lists the categories of pushes and their buttons"
  package static let errors: [RPCError] = []
  package static let parameters = Shape(NotificationCategories.init)
  package static let example = Example(NotificationCategories(), Answer())

  package struct Answer: ControlObject {
    package let categories: [NotificationCategory]

    package init() { self.init(categories: NotificationCategory.all) }

    private init(categories: [NotificationCategory]) { self.categories = categories }

    package static let shape = Shape(
      Answer.init(categories:),
      .required("categories", \.categories, "the categories that a push may name")
    )
  }

  package init() {}
}
