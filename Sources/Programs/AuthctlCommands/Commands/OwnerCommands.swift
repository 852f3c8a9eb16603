internal import ControlAPI
internal import ControlClient

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
      """
  ) { (session) throws(Failure) in
    let word = session.arguments.words[0]
    guard let uid = UInt32(word), uid != .max else {
      throw session.misused("a user is meant by its number, not \"\(word)\"")
    }
    try session.confirmErasure("erase everything of user \(uid)?")
    try session.print(OwnerErase(uid: uid)) { _ in ["erased everything of user \(uid)"] }
  }

  static let reset = Command(
    "reset",
    "[--yes]",
    options: [Option("--yes", "do not ask")],
    summary: "erase everything that you have in this authenticator",
    details: """
      Accounts, keys, requests and entries of the audit are gone for good, from the disk too, and another geography
      can be chosen. The platforms hear nothing of it: remove the accounts first to end the pairings there. Without
      a terminal --yes has to be given.
      """
  ) { (session) throws(Failure) in
    try session.confirmErasure("erase all accounts and keys of yours?")
    try session.print(DeviceRemoveLocalData()) { removed in
      let accounts = Describe.count(removed.accounts, "account", "accounts")
      return ["erased \(accounts) and \(Describe.count(removed.notifications, "request", "requests"))"]
    }
  }
}

extension Session {
  fileprivate func confirmErasure(_ question: SafeText) throws(Failure) {
    try confirm(question, orElse: "not erased")
  }
}
