internal import JSON

/// Pairings as a person reads them.
enum PairingText {
  /// A pairing that waits, in one line with its columns.
  static func rows(_ pairings: JSON?) -> [SafeText] {
    Columns.lines(
      (pairings?.array ?? []).map { pairing in
        [
          Describe.value(pairing["id"]), Describe.user(pairing["user"]),
          Describe.value(pairing["environment"]?["id"]), Describe.value(pairing["geo"]),
          Describe.value(pairing["expiresAt"]),
        ]
      }
    )
  }

  /// Whom a pairing is with: `ann (environment e-1, NorthAmerica)`.
  static func target(_ pairing: JSON) -> SafeText {
    let environment = Describe.value(pairing["environment"]?["id"])
    return "\(Describe.user(pairing["user"])), environment \(environment), \(Describe.value(pairing["geo"]))"
  }

  /// What became of a pairing.
  static func outcome(_ info: JSON) -> [SafeText] {
    let account = Describe.value(info["account"])
    return ["paired with \(Describe.user(info["user"])) as account \(account)"]
      + authenticators(info).map { "  \($0)" }
  }

  /// What became of each authenticator.
  static func authenticators(_ info: JSON) -> [SafeText] {
    Columns.lines((info["authenticators"]?.array ?? []).map(row))
  }

  private static func row(_ authenticator: JSON) -> [SafeText] {
    let status = Describe.value(authenticator["status"])
    var row = [
      Describe.value(authenticator["type"]),
      status.text == "COMPLETED" ? "ready" : "\(status.text.lowercased())",
    ]
    let causes = ["errorCode", "errorMessage"].filter { authenticator[$0] != nil }
    if !causes.isEmpty {
      row.append(causes.map { Describe.value(authenticator[$0]) }.joined(separator: ": "))
    }
    return row
  }

  /// Whether none of the authenticators became ready.
  static func failed(_ info: JSON) -> Bool {
    let authenticators = info["authenticators"]?.array ?? []
    return !authenticators.isEmpty && authenticators.allSatisfy { $0["status"] == "FAILED" }
  }
}

extension Session {
  /// Prints what became of a pairing.
  func showPairing(_ info: JSON) throws(Failure) {
    if PairingText.failed(info) {
      let list = PairingText.authenticators(info)
      throw .local(.pairingFailed, "no authenticator could be paired", list: list, details: info)
    }
    try output.result(info, PairingText.outcome)
    if info["promptForNickname"] == true, !output.asJSON {
      let account = Describe.value(info["account"])
      output.hint("give this machine a name, as wanted, by \"authctl accounts rename \(account) NAME\"")
    }
  }
}
