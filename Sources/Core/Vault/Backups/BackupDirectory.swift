public import ControlAPI
internal import Glibc
internal import Journal
internal import OpenSSL
internal import Time

/// The directory of backups in the state directory; the file names contain the creation time.
public struct BackupDirectory: Sendable {
  let path: String

  private static let ending = ".backup"
  private static let copies = ["copy.db", "erasing.db"]

  /// Path of the temporary copy that is to be sealed.
  var copyToSeal: String { "\(path)/\(Self.copies[0])" }
  var copyToErase: String { "\(path)/\(Self.copies[1])" }

  public init(of state: String) { path = state + "/backups" }

  /// Returns the file for a backup made at this time.
  func file(madeAt instant: Timestamp) -> BackupFile {
    let digits = instant.text.filter { $0 != "-" && $0 != ":" }.dropLast()
    let fraction = String(1000 + instant.milliseconds % 1000).dropFirst()
    return BackupFile(path: "\(path)/\(digits)\(fraction)Z\(Self.ending)")
  }

  /// Returns all backups, newest first.
  func files() -> [BackupFile] {
    names().filter { $0.hasSuffix(Self.ending) }.sorted(by: >).map { BackupFile(path: "\(path)/\($0)") }
  }

  /// Returns the description of all backups, without decrypting them.
  public func all() -> [Backup] {
    files().compactMap { file in
      var status = stat()
      guard let header = file.header, stat(file.path, &status) == 0 else { return nil }
      let createdAt = Timestamp(milliseconds: header.createdAt)
      return Backup(file: file.path, bytes: Int(status.st_size), createdAt: createdAt)
    }
  }

  /// Path of the newest backup, if there is one.
  public var newest: String? { files().first?.path }

  /// Creates the directory with mode 0700.
  func make() { mkdir(path, 0o700) }

  /// Removes temporary files that an interrupted operation left.
  func removeRemains() {
    for name in names()
    where name.hasSuffix(Self.ending + ".new") || Self.copies.contains(where: name.hasPrefix) {
      unlink("\(path)/\(name)")
    }
  }

  private func names() -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      )
    }
    return names
  }
}

// A change of the key-encryption key includes the backups: during the change the old and the new key open
// them, afterwards only the new key does.

extension BackupDirectory {
  /// Adds a key to all backups that the old key opens.
  func admit(_ keys: BackupFile.Keys, openedBy old: Secret) throws {
    for file in files() {
      guard let backup = try? OpenBackup(file.path, O_RDWR),
        let content = backup.header.contentKey(openedBy: old)
      else {
        Journal.warning("a backup does not open with the old key and cannot be given the new one")
        continue
      }
      let slot = try backup.header.slot(content.key, sealedBy: keys.current, spare: keys.spare)
      try backup.put(slot, at: 1 - content.slot)
    }
  }

  /// Removes all other keys from the backups that this key opens.
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
