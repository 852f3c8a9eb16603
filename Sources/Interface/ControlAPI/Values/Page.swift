/// A part of a list, the newest first.
package struct Page: Sendable {
  /// How many at most.
  package let limit: Int
  /// Only what is older than the thing of this id.
  package let before: String?

  /// The most that one answer holds.
  package static let maximum = 200
  private static let standard = 50

  /// The parameters that a list is paged by.
  static let parameters: [Property] = [
    .optional("limit", .integer(1...maximum)), .optional("before", .identifier),
  ]

  init(_ parameters: Parameters) {
    limit = min(parameters.optionalInt("limit") ?? Self.standard, Self.maximum)
    before = parameters.optionalText("before")
  }
}
