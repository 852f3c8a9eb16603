internal import ControlAPI
internal import ControlClient

extension Command {
  static let backup = Command(
    "backup",
    summary: "list the copies of the whole state",
    details: "One line each, the newest first. Only root may ask."
  ) { (session) throws(Failure) in
    try session.print(BackupList(), none: "there is no backup yet") { backups in
      Columns.lines(
        backups.map { ["\($0.createdAt)", Describe.size($0.bytes), "\($0.file)"] }
      )
    }
  }

  static let backupCreate = Command(
    "backup create",
    summary: "make a sealed copy of the whole state",
    details: """
      It lies in the state directory, where the last seven are kept, and opens by the key of this machine, or by its
      recovery key. While no daemon runs "mfad --restore FILE" puts it back. Whoever is erased here is erased from
      these copies too; from those that lie elsewhere nobody is. Only root may do this.
      """
  ) { (session) throws(Failure) in
    try session.print(BackupCreate()) { ["\($0.file), \(Describe.size($0.bytes))"] }
  }
}
