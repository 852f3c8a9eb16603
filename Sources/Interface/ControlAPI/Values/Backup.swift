package import Time

/// A copy of the whole state, sealed.
package struct Backup: ControlObject {
  package let file: String
  package let bytes: Int
  package let createdAt: Timestamp

  package init(file: String, bytes: Int, createdAt: Timestamp) {
    (self.file, self.bytes, self.createdAt) = (file, bytes, createdAt)
  }

  package static let shape = Shape(
    Backup.init(file:bytes:createdAt:),
    .required("file", \.file, "where it lies"),
    .required("bytes", \.bytes, "how large it is"),
    .required("createdAt", \.createdAt, "when it was made")
  )
}
