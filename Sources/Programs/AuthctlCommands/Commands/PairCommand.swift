internal import JSON

extension Command {
  static let pair = Command(
    "pair",
    "[KEY|-]",
    words: 0...1,
    summary: "pair this machine with the pairing key that PingOne shows",
    details: "Without KEY or with - it is asked for on the terminal, or is one line of standard input."
  ) { (session) throws(Failure) in
    var key = session.arguments.words.first
    if key == nil || key == "-" {
      _ = try session.daemon()
      key = try session.ask("pairing key")
    }
    guard let key, !key.isEmpty else { throw .local(.cancelled, "no pairing key was given") }
    try session.showPairing(try session.call("pairing.pair", ["pairingKey": .string(key)]))
  }
}
