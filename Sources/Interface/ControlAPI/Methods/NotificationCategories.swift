package import JSON
package import JSONRPC

/// Lists the categories of pushes and their buttons.
package struct NotificationCategories: ControlMethod {
  package static let name = "notification.categories"
  package static let access = AccessClass.read
  package static let summary = "lists the categories of pushes and their buttons"
  package static let parameters: [Property] = []

  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("categories", .array(NotificationCategory.schema))])

    package var json: JSON { ["categories": .array(NotificationCategory.all.map(\.json))] }

    package init() {}
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
