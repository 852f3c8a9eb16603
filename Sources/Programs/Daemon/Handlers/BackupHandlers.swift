internal import ControlAPI
internal import Vault

extension HandlerTable {
  static let backupHandlers: [Handler] = [
    .later(BackupCreate.self) { service, _, _ in try await service.backups.create() },
    .now(BackupList.self) { service, _, _ in service.backups.directory.all() },
  ]
}
