/// A part of a list, the newest first.
package struct Page: ControlObject {
  package let limit: Int
  /// The id of a thing; only what is older is wanted.
  package let before: String?

  /// The most that one result holds.
  package static let maximum = 200
  private static let standard = 50

  package init(limit: Int? = nil, before: String? = nil) {
    (self.limit, self.before) = (limit ?? Self.standard, before)
  }

  package static let shape = Shape(
    Page.init(limit:before:),
    .optional("limit", \.limit, as: .integer(1...maximum), default: standard, "how many at most"),
    .optional("before", \.before, as: .identifier, "only what is older than the thing of this id")
  )
}
