internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let owners = Command(
    "owners",
    "[--since TIME] [--user USER]",
    options: [PastTime.option, Option("--user", takes: "USER", "list USER only: a name or a uid")],
    summary: "list all users that have an authenticator on this machine",
    details: "One line each: user, number of active accounts, creation date. Only root may run this command."
  ) { (session) throws(Failure) in
    let (since, user) = (try session.since, try session.userOption)
    let reply = try session.reply(to: OwnerList())
    let owners = try reply.value.filter { owner in
      (since.map { owner.createdAt >= $0 } ?? true) && (user.map { owner.uid == $0 } ?? true)
    }
    let isWhole = since == nil && user == nil
    let shown = isWhole ? reply : Reply(owners, of: OwnerList.self)
    try session.output.result(shown, none: "no user has an authenticator here") { owners in
      let rows = owners.map { owner in
        [SystemUser.name(of: owner.uid), "\(owner.accounts)", "\(owner.createdAt)"] as [SafeText]
      }
      return Columns.lines(rows, under: ["USER", "ACCOUNTS", "SINCE"])
    }
  }

  static let ownersErase = Command(
    "owners erase",
    "USER [--yes]",
    words: 1...1,
    options: [Option("--yes", "do not ask for confirmation")],
    summary: "erase all data of a user on this machine",
    details: """
      USER is the name or the uid of a user. Permanently erases accounts, keys, requests and audit entries,
      from the disk too. The platforms are not notified: there the device stays registered until the user or
      an administrator removes it. Only root may run this command. Without a terminal, --yes is required.
      """,
    examples: ["authctl owners erase ann --yes"]
  ) { (session) throws(Failure) in
    let word = session.arguments.words[0]
    let owners = try session.call(OwnerList())
    guard let user = SystemUser(word) else {
      throw .local(.notFound, "there is no user \"\(word)\"", hint: "\"authctl owners\" lists all owners")
    }
    let name = SystemUser.name(of: user.id)
    guard owners.contains(where: { $0.uid == user.id }) else {
      throw .local(.notFound, "\(name) has nothing here", hint: "\"authctl owners\" lists all owners")
    }
    try session.confirmErasure("erase everything of \(name)?")
    try session.print(OwnerErase(uid: user.id)) { _ in ["erased everything of \(name)"] }
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
    summary: "list the backups of the daemon's state",
    details: "One line each, newest first. Only root may run this command."
  ) { (session) throws(Failure) in
    try session.print(BackupList(), none: "there is no backup yet") { backups in
      Columns.lines(
        backups.map { ["\($0.createdAt)", Describe.size($0.bytes), "\($0.file)"] }
      )
    }
  }

  static let backupCreate = Command(
    "backup create",
    summary: "make a sealed backup of the daemon's state",
    details: """
      The backup is written to the state directory, which keeps the last seven. The key of this machine or its
      recovery key opens it. To restore it, stop the daemon and run "mfad --restore FILE". If you erase a
      user, the user's data is erased from these backups too, but not from copies in other places. Only root
      may run this command.
      """
  ) { (session) throws(Failure) in
    try session.print(BackupCreate()) { ["\($0.file), \(Describe.size($0.bytes))"] }
  }
}

extension Command {
  static let metrics = Command(
    "metrics",
    "[--openmetrics]",
    options: [Option("--openmetrics", "print the text format of OpenMetrics, for a collector")],
    summary: "show the daemon's load and its use of resources",
    details: """
      Requests and approvals are counted since the daemon started. Notifications are those of all users: the
      pending ones, and all that were ever stored. Only root may run this command.
      """,
    examples: ["sudo authctl metrics --openmetrics"]
  ) { (session) throws(Failure) in
    let isForCollector = try session.one(of: "--openmetrics", "--json") == "--openmetrics"
    try session.print(ServiceMetrics()) { figures in
      guard !isForCollector else { return OpenMetrics.lines(figures) }
      let (requests, notifications) = (figures.requests, figures.notifications)
      let approvals = figures.approvals.map {
        "\($0.approved) approved, \($0.denied) denied, \($0.expired) expired, \($0.cancelled) cancelled"
          as SafeText
      }
      return Columns.lines([
        ["connections", "\(figures.connections)"],
        ["requests", "\(requests.total), \(requests.errors) failed"],
        ["owners", "\(figures.owners)"],
        ["notifications", "\(notifications.pending) pending, \(notifications.total) ever"],
        ["approvals", approvals ?? "-"],
        ["last backup", figures.lastBackup.map { "\($0)" } ?? "-"],
        ["memory", Describe.size(figures.residentBytes)],
        ["open files", "\(figures.openFiles)"],
        ["database", Describe.size(figures.databaseBytes)],
      ])
    }
  }
}
