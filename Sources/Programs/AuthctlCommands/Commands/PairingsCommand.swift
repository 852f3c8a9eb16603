internal import JSON

extension Command {
  static let pairings = Command(
    "pairings",
    summary: "list the pairings that wait for your decision",
    details: "One line each: id, user, environment, geography, end."
  ) { (session) throws(Failure) in
    let result = try session.call("pairing.list")
    try session.output.result(result) { PairingText.rows($0["pairings"]) }
    if !session.output.asJSON, result["pairings"]?.array?.isEmpty ?? true {
      session.output.note("no pairing waits")
    }
  }
}
