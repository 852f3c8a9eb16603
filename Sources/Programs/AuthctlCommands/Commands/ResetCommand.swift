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
      cannot be ended, nothing is erased, as with --unpair. With --yes alone, authctl ends the pairings that
      it can end, erases everything and names the rest. Without a terminal, --yes is required.
      """,
    examples: ["authctl reset --unpair"]
  ) { (session) throws(Failure) in
    let way = try session.one(of: "--unpair", "--keep-pairings")
    try session.confirmErasure("erase all your accounts and keys?")
    let accounts = try session.listedAccounts(way)
    let ended = try session.endPairings(way, among: accounts)
    let left = accounts.filter { $0.kind != .oath && !ended.contains($0.id) }
    try session.print(DeviceRemoveLocalData()) { removed in
      let accounts = Describe.count(removed.accounts, "account", "accounts")
      return ["erased \(accounts) and \(Describe.count(removed.notifications, "request", "requests"))"]
    }
    session.name(left)
  }
}

extension Session {
  /// Returns the accounts; none if they cannot be listed, unless their pairings have to be ended.
  fileprivate func listedAccounts(_ way: String?) throws(Failure) -> [Account] {
    do { return try call(AccountList()) } catch {
      guard case .refused = error, way != "--unpair" else { throw error }
      return []
    }
  }

  /// Ends the pairings at PingOne that are to be ended, and returns the ids of their accounts.
  fileprivate func endPairings(_ way: String?, among accounts: [Account]) throws(Failure) -> Set<String> {
    let paired = accounts.filter { $0.kind == .pingOne }
    let isLenient = way == nil && arguments.has("--yes")
    var ended: Set<String> = []
    for account in try isLenient ? paired : pairingsToEnd(way, among: paired) {
      do { try unpair(account, isLenient: isLenient) } catch {
        guard isLenient, case .refused = error else { throw error }
        // The platform is unreachable, or the authenticator is locked: the next attempt would fail too.
        break
      }
      ended.insert(account.id)
    }
    return ended
  }

  /// Names the devices of this machine that remain at their servers after the erasure.
  fileprivate func name(_ left: [Account]) {
    guard !left.isEmpty, !output.asJSON else { return }
    let names = left.map { Describe.account($0) }.joined(separator: ", ")
    output.note("remaining at their servers: \(names)")
    output.hint("\"authctl devices\" lists the devices there, and \"authctl devices remove\" removes them")
  }

  private func pairingsToEnd(_ way: String?, among paired: [Account]) throws(Failure) -> [Account] {
    let isAsked = way == nil && terminal != nil
    guard way == "--unpair" || isAsked else { return [] }
    guard isAsked, !paired.isEmpty, let terminal else { return paired }
    let pairings = Describe.count(paired.count, "pairing", "pairings")
    let question: SafeText = "end \(pairings) at PingOne too, so that no sign-on waits for this machine?"
    return try terminal.confirm(question) ? paired : []
  }

  private func unpair(_ account: Account, isLenient: Bool) throws(Failure) {
    do { _ = try call(AccountRemove(account: account.id)) } catch {
      if isLenient { throw error }
      output.hint("--keep-pairings erases anyway; the pairing of \(account.label) then stays at PingOne")
      throw error
    }
    output.note("ended the pairing of \(account.label)")
  }
}
