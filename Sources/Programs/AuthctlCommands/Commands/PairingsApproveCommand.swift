internal import JSON

extension Command {
  static let pairingsApprove = Command(
    "pairings approve",
    "ID",
    words: 1...1,
    summary: "pair this machine as a waiting pairing asks"
  ) { (session) throws(Failure) in
    let pairing = JSON.string(session.arguments.words[0])
    try session.showPairing(try session.call("pairing.approve", ["pairing": pairing]))
  }
}
