internal import ControlAPI
internal import ControlClient

/// Pairings as a person reads them.
enum PairingText {
  /// The pairings that wait, in columns.
  static func lines(_ pairings: [PairingRequest]) -> [SafeText] {
    Columns.lines(pairings) { pairing in
      [
        "\(pairing.id)", Describe.user(pairing.user), "\(pairing.environment.id)",
        "\(pairing.geography.name)", "\(pairing.expiresAt)",
      ]
    }
  }

  /// Whom a pairing is with: `ann, environment e-1, NorthAmerica`.
  static func target(_ pairing: PairingRequest) -> SafeText {
    "\(Describe.user(pairing.user)), environment \(pairing.environment.id), \(pairing.geography.name)"
  }

  /// What became of each authenticator.
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
  /// Makes a pairing and prints what became of it.
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
        "give this machine a name, as wanted, by \"authctl accounts rename \(info.account) NAME\""
      )
    }
  }
}
