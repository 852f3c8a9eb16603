package import JSONRPC

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
