internal import JSON

extension Command {
  static let push: Command = Command(
    "push",
    "on|off",
    words: 1...1,
    summary: "let pushes come to this machine, or not",
    details:
      "Without pushes passcodes and codes work as before. A platform that cannot be told now is told later."
  ) { (session) throws(Failure) in
    let word = session.arguments.words[0]
    guard ["on", "off"].contains(word) else {
      throw Command.push.misused("it is either on or off, not \"\(word)\"")
    }
    try session.showPushChannel(try session.call("device.setPushAllowed", ["allowed": .bool(word == "on")]))
  }
}

extension Session {
  /// Prints whether pushes can come now.
  func showPushChannel(_ report: JSON) throws(Failure) {
    try output.result(report) { [$0["pushEnabled"] == true ? "pushes can come" : "pushes cannot come"] }
    noteErrors(report["errors"])
  }
}
