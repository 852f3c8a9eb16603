internal import JSON

extension Command {
  static let sessionsEnd = Command(
    "sessions end",
    "ID",
    words: 1...1,
    summary: "end a kept sign-on, here and at its issuer"
  ) { (session) throws(Failure) in
    let id = session.arguments.words[0]
    try session.output.result(try session.call("session.end", ["session": .string(id)])) { _ in
      ["ended session \(id)"]
    }
  }
}
