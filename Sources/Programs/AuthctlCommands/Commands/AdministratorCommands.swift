internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let owners = Command(
    "owners",
    summary: "list everybody who has an authenticator here",
    details: "One line each: the user, how many accounts are in force, and since when. Only root may ask."
  ) { (session) throws(Failure) in
    try session.print(OwnerList()) { owners in
      Columns.lines(owners) { owner in
        [
          "user \(owner.uid)", Describe.count(owner.accounts, "account", "accounts"),
          "since \(owner.createdAt)",
        ]
      }
    }
  }

  static let ownersErase = Command(
    "owners erase",
    "UID [--yes]",
    words: 1...1,
    options: [Option("--yes", "do not ask")],
    summary: "erase everything that a user has here",
    details: """
      Accounts, keys, requests and entries of the audit are gone for good, from the disk too. The platforms hear
      nothing of it: there the device stays until somebody removes it. Only root may do this. Without a terminal
      --yes has to be given.
      """,
    examples: ["authctl owners erase 1000 --yes"]
  ) { (session) throws(Failure) in
    let word = session.arguments.words[0]
    guard let uid = UInt32(word), uid != .max else {
      throw session.misused("a user is meant by its number, not \"\(word)\"")
    }
    try session.confirmErasure("erase everything of user \(uid)?")
    try session.print(OwnerErase(uid: uid)) { _ in ["erased everything of user \(uid)"] }
  }
}

extension Session {
  func confirmErasure(_ question: SafeText) throws(Failure) {
    try confirm(question, orElse: "not erased")
  }
}

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

extension Command {
  static let metrics = Command(
    "metrics",
    summary: "show how much the daemon does and takes",
    details: """
      Requests are counted since the daemon started. Notifications are those of everybody: that wait, and that
      were ever stored. Only root may ask.
      """
  ) { (session) throws(Failure) in
    try session.print(ServiceMetrics()) { figures in
      let (requests, notifications) = (figures.requests, figures.notifications)
      return Columns.lines([
        ["connections", "\(figures.connections)"],
        ["requests", "\(requests.total), \(requests.errors) failed"],
        ["owners", "\(figures.owners)"],
        ["notifications", "\(notifications.pending) pending, \(notifications.total) ever"],
        ["memory", Describe.size(figures.residentBytes)],
        ["open files", "\(figures.openFiles)"],
        ["database", Describe.size(figures.databaseBytes)],
      ])
    }
  }
}
