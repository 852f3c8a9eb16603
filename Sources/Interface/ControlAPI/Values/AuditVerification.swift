/// Whether the entries of the audit are those that were recorded, all of them and unchanged.
package struct AuditVerification: ControlObject, Equatable {
  /// How many entries were looked at.
  package var entries: Int
  package var isSound: Bool
  /// The first entry that does not follow from the one before it; of a chain whose end or seal is not right there is
  /// none.
  package var brokenAt: String?

  package init(entries: Int, isSound: Bool, brokenAt: String? = nil) {
    (self.entries, self.isSound, self.brokenAt) = (entries, isSound, brokenAt)
  }

  package static let shape = Shape(
    AuditVerification.init(entries:isSound:brokenAt:),
    .required("entries", \.entries, "how many entries were looked at"),
    .required("ok", \.isSound, "whether they are those that were recorded, all of them and unchanged"),
    .optional(
      "brokenAt",
      \.brokenAt,
      as: .identifier,
      "the first entry that does not follow from the one before it; without one the end or the seal is not right"
    )
  )
}
