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
    var states = account.authenticators.map { use(of: $0.type) }
    if account.isLocked { states.append(account.lock.map { "locked \(LockText.words($0))" } ?? "locked") }
    if account.state != .active { states.append("\(account.state.name)") }
    return [
      Describe.issuer(of: account, among: all) ?? "-", Describe.name(of: account),
      states.isEmpty ? "-" : states.joined(separator: ", "), Describe.short(account.id),
    ]
  }

  /// Returns the use of an authenticator, or its type if it is unknown.
  private static func use(of type: String) -> SafeText {
    switch type {
    case "PUSH": "pushes"
    case "OTP": "passcodes"
    case "PASSKEY": "passkey"
    default: "\(type)"
    }
  }
}

/// Pairings in text form.
enum PairingText {
  /// Returns the pending pairings in columns.
  static func lines(_ pairings: [PairingRequest]) -> [SafeText] {
    Columns.lines(pairings) { pairing in
      [
        Describe.user(pairing.user), "\(pairing.geography.name)", "environment \(pairing.environment.id)",
        "ends \(Describe.expiry(pairing.expiresAt))", Describe.short(pairing.id),
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
      ["paired with \(Describe.user(info.user)) as account \(Describe.short(info.account))"]
        + list.map { "  \($0)" }
    }
    if info.wantsNickname, !output.asJSON {
      output.hint(
        "the platform requires a name for this machine: \"authctl accounts rename \(info.account) NAME\""
      )
    }
  }
}
