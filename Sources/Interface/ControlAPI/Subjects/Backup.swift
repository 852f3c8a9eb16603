package import JSONRPC
package import Time

package struct BackupCreate: ControlMethod {
  package static let name = "backup.create"
  package static let access = AccessClass.service
  package static let summary = "makes a sealed copy of the whole state"
  package static let errors: [RPCError] = [.permissionDenied, .keyUnavailable]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(BackupCreate.init)
  package static var example: Example<Self> { Example(BackupCreate(), Samples.backup) }

  package typealias Result = Backup

  package init() {}
}

package struct BackupList: ControlMethod {
  package static let name = "backup.list"
  package static let access = AccessClass.service
  package static let summary = "lists the copies of the state that lie beside it"
  package static let errors: [RPCError] = [.permissionDenied]
  package static let parameters = Shape(BackupList.init)
  package static let envelope: Shape<[Backup]>? = .member("backups", "the copies, the newest first")
  package static var example: Example<Self> { Example(BackupList(), [Samples.backup]) }

  package init() {}
}

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
