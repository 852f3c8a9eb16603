internal import ControlAPI
internal import ControlClient

/// Accounts in text form.
enum AccountText {
  static func lines(_ accounts: [Account]) -> [SafeText] {
    Columns.lines(accounts) { row($0, among: accounts) }
  }

  static func row(_ account: Account) -> [SafeText] { row(account, among: []) }

  /// Returns the cells that identify an account in a list.
  static func row(_ account: Account, among all: [Account]) -> [SafeText] {
    var row: [SafeText] = [
      "\(account.id)", "\(account.kind.name)", Describe.name(of: account),
      Describe.user(account.user),
    ]
    if let issuer = Describe.issuer(of: account, among: all) { row.append(issuer) }
    let authenticators = account.authenticators.map { "\($0.type)" as SafeText }
    if !authenticators.isEmpty { row.append(authenticators.joined(separator: ", ")) }
    if account.isLocked { row.append(account.lock.map { "locked \(LockText.words($0))" } ?? "locked") }
    if account.state != .active { row.append("\(account.state.name)") }
    return row
  }
}

/// Pairings in text form.
enum PairingText {
  /// Returns the pending pairings in columns.
  static func lines(_ pairings: [PairingRequest]) -> [SafeText] {
    Columns.lines(pairings) { pairing in
      [
        "\(pairing.id)", Describe.user(pairing.user), "\(pairing.environment.id)",
        "\(pairing.geography.name)", "\(pairing.expiresAt)",
      ]
    }
  }

  /// Returns the user and environment of a pairing: `ann, environment e-1, NorthAmerica`.
  static func target(_ pairing: PairingRequest) -> SafeText {
    "\(Describe.user(pairing.user)), environment \(pairing.environment.id), \(pairing.geography.name)"
  }

  /// Returns the result of each authenticator.
  static func authenticators(_ info: PairingInfo) -> [SafeText] {
    Columns.lines(info.authenticators) { authenticator in
      let state: SafeText = authenticator.isReady ? "ready" : "\(authenticator.status.lowercased())"
      let causes = [authenticator.errorCode, authenticator.errorMessage].compactMap { $0 }
      let cause = causes.map { "\($0)" as SafeText }.joined(separator: ": ")
      return ["\(authenticator.type)", state] + (causes.isEmpty ? [] : [cause])
    }
  }
}

extension PairedAuthenticator {
  fileprivate var isReady: Bool { status == "COMPLETED" }
}

extension Session {
  /// Makes a pairing and prints the result.
  func pair<Method: ControlMethod>(_ method: Method) throws(Failure) where Method.Result == PairingInfo {
    let reply = try reply(to: method)
    let info = try reply.value
    let list = PairingText.authenticators(info)
    guard info.authenticators.isEmpty || info.authenticators.contains(where: \.isReady) else {
      throw .local(.pairingFailed, "no authenticator could be paired", list: list, details: reply.json)
    }
    try output.result(reply) { info in
      ["paired with \(Describe.user(info.user)) as account \(info.account)"] + list.map { "  \($0)" }
    }
    if info.wantsNickname, !output.asJSON {
      output.hint(
        "the platform requires a name for this machine: \"authctl accounts rename \(info.account) NAME\""
      )
    }
  }
}
