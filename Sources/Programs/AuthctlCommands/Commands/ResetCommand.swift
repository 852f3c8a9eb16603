internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let reset = Command(
    "reset",
    "[--unpair|--keep-pairings] [--yes]",
    options: [
      Option("--unpair", "end the pairings at the platforms first"),
      Option("--keep-pairings", "do not notify the platforms"),
      Option("--yes", "do not ask for confirmation"),
    ],
    summary: "erase all your data in this authenticator",
    details: """
      Permanently erases accounts, keys, requests and audit entries, from the disk too. Afterwards you can
      choose another geography. A platform that is not notified keeps sending requests that this machine can
      no longer answer. On a terminal, authctl therefore asks whether to end the pairings there first; if one
      cannot be ended, nothing is erased. Without a terminal, --yes is required, and --unpair ends the
      pairings.
      """,
    examples: ["authctl reset --unpair"]
  ) { (session) throws(Failure) in
    let way = try session.one(of: "--unpair", "--keep-pairings")
    try session.confirmErasure("erase all your accounts and keys?")
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
      output.hint("--keep-pairings erases anyway; the pairing of \(account.label) then stays at PingOne")
      throw error
    }
    output.note("ended the pairing of \(account.label)")
  }
}
