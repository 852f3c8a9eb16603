internal import JSON

extension Command {
  static let pairingsIgnore = Command(
    "pairings ignore",
    "ID",
    words: 1...1,
    summary: "drop a waiting pairing"
  ) { (session) throws(Failure) in
    let id = session.arguments.words[0]
    try session.output.result(try session.call("pairing.ignore", ["pairing": .string(id)])) { _ in
      ["ignored pairing \(id)"]
    }
  }
}
