internal import JSON

extension Command {
  static let reset: Command = Command(
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
    if !session.arguments.has("--yes") {
      guard let terminal = session.terminal else {
        throw Command.reset.misused("without a terminal nobody can be asked: say --yes")
      }
      guard try terminal.confirm("erase all accounts and keys of yours?") else {
        throw .local(.cancelled, "not erased")
      }
    }
    let result = try session.call("device.removeLocalData", ["confirm": true])
    try session.output.result(result) { answer in
      let removed = answer["removed"]
      let accounts = Describe.count(removed?["accounts"], "account", "accounts")
      return ["erased \(accounts) and \(Describe.count(removed?["notifications"], "request", "requests"))"]
    }
  }
}
