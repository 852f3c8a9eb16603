public import JSONRPC
public import Time

public struct BackupCreate: ControlMethod {
  public static let name = "backup.create"
  public static let access = AccessClass.service
  public static let summary = "creates a sealed backup of the whole state"
  public static let errors: [RPCError] = [.permissionDenied, .keyUnavailable]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(BackupCreate.init)
  public static var example: Example<Self> { Example(BackupCreate(), Samples.backup) }

  public typealias Result = Backup

  public init() {}
}

public struct BackupList: ControlMethod {
  public static let name = "backup.list"
  public static let access = AccessClass.service
  public static let summary = "lists the backups in the state directory"
  public static let errors: [RPCError] = [.permissionDenied]
  public static let parameters = Shape(BackupList.init)
  public static let envelope: Shape<[Backup]>? = .member("backups", "the backups, newest first")
  public static var example: Example<Self> { Example(BackupList(), [Samples.backup]) }

  public init() {}
}

/// A sealed backup of the whole state.
public struct Backup: ControlObject {
  public let file: String
  public let bytes: Int
  public let createdAt: Timestamp

  public init(file: String, bytes: Int, createdAt: Timestamp) {
    (self.file, self.bytes, self.createdAt) = (file, bytes, createdAt)
  }

  public static let shape = Shape(
    Backup.init(file:bytes:createdAt:),
    .required("file", \.file, "the path"),
    .required("bytes", \.bytes, "the size in bytes"),
    .required("createdAt", \.createdAt, "the creation time")
  )
}
