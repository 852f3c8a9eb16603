internal import ControlAPI
internal import ControlClient

extension Command {
  static let pair = Command(
    "pair",
    "[KEY|-]",
    words: 0...1,
    summary: "pair this machine with the pairing key that PingOne shows",
    details:
      "Without KEY or with -, authctl asks for it on the terminal or reads one line of standard input.",
    examples: ["authctl pair 01882778807215"]
  ) { (session) throws(Failure) in
    try session.pair(PairingPair(pairingKey: try session.word(orAnswerTo: "pairing key")))
  }

  static let pairings = Command(
    "pairings",
    summary: "list the pending pairings",
    details: "One line each: user, geography, environment, end, beginning of the id."
  ) { (session) throws(Failure) in
    try session.print(PairingList(), none: "no pairing is pending") { PairingText.lines($0) }
  }

  static let pairingsApprove = Command(
    "pairings approve",
    "[ID]",
    words: 0...1,
    operands: .pairings,
    summary: "approve a pending pairing",
    details: waiting
  ) { (session) throws(Failure) in
    try session.onPairing { (id) throws(Failure) in
      try session.verified { (claim) throws(Failure) in
        try session.pair(PairingApprove(pairing: id, presence: claim))
      }
    }
  }

  static let pairingsIgnore = Command(
    "pairings ignore",
    "[ID]",
    words: 0...1,
    operands: .pairings,
    summary: "drop a pending pairing",
    details: waiting
  ) { (session) throws(Failure) in
    try session.onPairing { (id) throws(Failure) in
      try session.print(PairingIgnore(pairing: id)) { _ in ["ignored pairing \(Describe.short(id))"] }
    }
  }

  private static let waiting: SafeText = """
    ID may be the beginning of an id, or the user's name or part of it if only one pairing matches. On a
    terminal, ID is optional: you choose among several pending pairings.
    """
}

extension Session {
  fileprivate func onPairing(_ body: (String) throws(Failure) -> Void) throws(Failure) {
    let list = { () throws(Failure) in try self.call(PairingList()) }
    try choosing("pairing", none: "no pairing is pending", among: list, by: Self.naming, body)
  }

  private static let naming = NameMatcher<PairingRequest>(
    id: { $0.id },
    names: { [$0.user.username, $0.user.email] },
    row: { [PairingText.target($0), Describe.short($0.id)] }
  )
}
