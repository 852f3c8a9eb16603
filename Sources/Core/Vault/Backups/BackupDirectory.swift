public import ControlAPI
internal import Glibc
internal import Journal
internal import OpenSSL
internal import Time

/// Where backups lie: in the state directory, each under the time at which it was made.
public struct BackupDirectory: Sendable {
  let path: String

  private static let ending = ".backup"
  private static let copies = ["copy.db", "erasing.db"]

  /// Where what is about to be sealed lies meanwhile.
  var copyToSeal: String { "\(path)/\(Self.copies[0])" }
  var copyToErase: String { "\(path)/\(Self.copies[1])" }

  public init(of state: String) { path = state + "/backups" }

  /// Where a backup of this time is to lie.
  func file(madeAt instant: Timestamp) -> BackupFile {
    let digits = instant.text.filter { $0 != "-" && $0 != ":" }.dropLast()
    let fraction = String(1000 + instant.milliseconds % 1000).dropFirst()
    return BackupFile(path: "\(path)/\(digits)\(fraction)Z\(Self.ending)")
  }

  /// Every backup, the newest first.
  func files() -> [BackupFile] {
    names().filter { $0.hasSuffix(Self.ending) }.sorted(by: >).map { BackupFile(path: "\(path)/\($0)") }
  }

  /// What can be told of them without opening any.
  public func all() -> [Backup] {
    files().compactMap { file in
      var status = stat()
      guard let header = file.header, stat(file.path, &status) == 0 else { return nil }
      let createdAt = Timestamp(milliseconds: header.createdAt)
      return Backup(file: file.path, bytes: Int(status.st_size), createdAt: createdAt)
    }
  }

  /// The newest backup, if there is one.
  public var newest: String? { files().first?.path }

  /// Makes the directory, for its owner alone.
  func make() { mkdir(path, 0o700) }

  /// Removes what was not finished.
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
