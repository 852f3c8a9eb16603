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
