internal import JSON

extension Command {
  static let ownersErase: Command = Command(
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
      throw Command.ownersErase.misused("a user is meant by its number, not \"\(word)\"")
    }
    if !session.arguments.has("--yes") {
      guard let terminal = session.terminal else {
        throw Command.ownersErase.misused("without a terminal nobody can be asked: say --yes")
      }
      guard try terminal.confirm("erase everything of user \(uid)?") else {
        throw .local(.cancelled, "not erased")
      }
    }
    let params: JSONObject = ["uid": .int(Int(uid)), "confirm": true]
    try session.output.result(try session.call("owner.erase", params)) { _ in
      ["erased everything of user \(uid)"]
    }
  }
}
