internal import JSON

extension Command {
  static let rotateKeys = Command(
    "rotate-keys",
    summary: "replace the keys that the platforms know this machine by",
    details: "This happens by itself once a year. Pairings stay as they are."
  ) { (session) throws(Failure) in
    try session.output.result(try session.call("device.rotateKeys")) {
      ["keys replaced at \(Describe.value($0["rotatedAt"]))"]
    }
  }
}
