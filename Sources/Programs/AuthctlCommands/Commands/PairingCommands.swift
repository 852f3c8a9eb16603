internal import ControlAPI
internal import ControlClient

extension Command {
  static let pair = Command(
    "pair",
    "[KEY|-]",
    words: 0...1,
    summary: "pair this machine with the pairing key that PingOne shows",
    details: "Without KEY or with - it is asked for on the terminal, or is one line of standard input."
  ) { (session) throws(Failure) in
    try session.pair(PairingPair(pairingKey: try session.word(orAnswerTo: "pairing key")))
  }

  static let pairings = Command(
    "pairings",
    summary: "list the pairings that wait for your decision",
    details: "One line each: id, user, environment, geography, end."
  ) { (session) throws(Failure) in
    try session.print(PairingList(), none: "no pairing waits") { PairingText.lines($0) }
  }

  static let pairingsApprove = Command(
    "pairings approve",
    "ID",
    words: 1...1,
    operands: .pairings,
    summary: "pair this machine as a waiting pairing asks"
  ) { (session) throws(Failure) in
    try session.verified { (claim) throws(Failure) in
      try session.pair(PairingApprove(pairing: session.arguments.words[0], presence: claim))
    }
  }

  static let pairingsIgnore = Command(
    "pairings ignore",
    "ID",
    words: 1...1,
    operands: .pairings,
    summary: "drop a waiting pairing"
  ) { (session) throws(Failure) in
    let id = session.arguments.words[0]
    try session.print(PairingIgnore(pairing: id)) { _ in ["ignored pairing \(id)"] }
  }
}
