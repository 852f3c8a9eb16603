package import JSONRPC

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
