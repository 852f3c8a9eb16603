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
    let rows = (info["authenticators"]?.array ?? []).map { authenticator -> [SafeText] in
      let status = authenticator["status"]
      let cause = [authenticator["errorCode"], authenticator["errorMessage"]].compactMap { $0 }
        .map(Describe.value).joined(separator: ": ")
      let state: SafeText = status == "COMPLETED" ? "ready" : "\(Describe.value(status).text.lowercased())"
      let type: SafeText = "\(Describe.value(authenticator["type"]))"
      return cause.text.isEmpty ? [type, state] : [type, state, cause]
    }
    let account = Describe.value(info["account"])
    return ["paired with \(Describe.user(info["user"])) as account \(account)"]
      + Columns.lines(rows).map { "  \($0)" }
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
      let list = PairingText.outcome(info).dropFirst()
      throw .local(.pairingFailed, "no authenticator could be paired", list: Array(list), details: info)
    }
    try output.result(info, PairingText.outcome)
  }
}
