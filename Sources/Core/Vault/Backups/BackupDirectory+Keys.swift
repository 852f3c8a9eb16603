internal import Glibc
internal import Journal
internal import OpenSSL

// Backups follow a change of the key-encryption key: before the change each opens by both, after it by the new one.

extension BackupDirectory {
  /// Lets backups that one key opens be opened by another too.
  func admit(_ keys: BackupFile.Keys, openedBy old: Secret) throws {
    for file in files() {
      guard let backup = try? OpenBackup(file.path, O_RDWR),
        let content = backup.header.contentKey(openedBy: old)
      else {
        Journal.warning("a backup does not open, and opens by no other key either")
        continue
      }
      let slot = try backup.header.slot(content.key, sealedBy: keys.current, spare: keys.spare)
      try backup.put(slot, at: 1 - content.slot)
    }
  }

  /// Leaves backups that a key opens nothing else that opens them.
  func dropKeys(otherThan key: Secret) {
    for file in files() {
      guard let backup = try? OpenBackup(file.path, O_RDWR),
        let content = backup.header.contentKey(openedBy: key),
        !backup.header.slots[1 - content.slot].isEmpty
      else { continue }
      try? backup.put(.empty, at: 1 - content.slot)
    }
  }
}
