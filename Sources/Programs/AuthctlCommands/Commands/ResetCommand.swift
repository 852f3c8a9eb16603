internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let reset = Command(
    "reset",
    "[--unpair|--keep-pairings] [--yes]",
    options: [
      Option("--unpair", "end the pairings at the platforms first"),
      Option("--keep-pairings", "tell the platforms nothing"),
      Option("--yes", "do not ask"),
    ],
    summary: "erase everything that you have in this authenticator",
    details: """
      Accounts, keys, requests and entries of the audit are gone for good, from the disk too, and another geography
      can be chosen. A platform that hears nothing of it goes on sending requests to a machine that cannot answer
      them: on a terminal it is asked whether the pairings are to end there first, and if one cannot be ended nothing
      is erased. Without a terminal --yes has to be given, and --unpair ends them.
      """,
    examples: ["authctl reset --unpair"]
  ) { (session) throws(Failure) in
    let way = try session.one(of: "--unpair", "--keep-pairings")
    try session.confirmErasure("erase all accounts and keys of yours?")
    for account in try session.pairingsToEnd(way) { try session.unpair(account) }
    try session.print(DeviceRemoveLocalData()) { removed in
      let accounts = Describe.count(removed.accounts, "account", "accounts")
      return ["erased \(accounts) and \(Describe.count(removed.notifications, "request", "requests"))"]
    }
  }
}

extension Session {
  fileprivate func pairingsToEnd(_ way: String?) throws(Failure) -> [Account] {
    let isAsked = way == nil && !arguments.has("--yes") && terminal != nil
    guard way == "--unpair" || isAsked else { return [] }
    let paired = try call(AccountList()).filter { $0.kind == .pingOne }
    guard isAsked, !paired.isEmpty, let terminal else { return paired }
    let pairings = Describe.count(paired.count, "pairing", "pairings")
    let question: SafeText = "end \(pairings) at PingOne too, so that no sign-on waits for this machine?"
    return try terminal.confirm(question) ? paired : []
  }

  fileprivate func unpair(_ account: Account) throws(Failure) {
    do { _ = try call(AccountRemove(account: account.id)) } catch {
      output.hint("--keep-pairings erases all the same; the pairing of \(account.label) stays at PingOne")
      throw error
    }
    output.note("ended the pairing of \(account.label)")
  }
}
