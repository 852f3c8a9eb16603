internal import JSON

extension Command {
  static let notificationsProcess = Command(
    "notifications process",
    "[FILE|-]",
    words: 0...1,
    summary: "hand in a push message that came another way",
    details: "The message is read from FILE or standard input: a JSON object, or the text as it came."
  ) { (session) throws(Failure) in
    let bytes = try StandardInput.contents(of: session.arguments.words.first ?? "-")
    let result = try session.call("notification.process", ["payload": try Command.payload(bytes)])
    try session.output.result(result) { result in
      guard let notification = result["notification"], !notification.isNull else { return ["nothing to do"] }
      return [Notification(json: notification).row.joined(separator: "  ")]
    }
  }

  private static func payload(_ bytes: [UInt8]) throws(Failure) -> JSON {
    if let object = try? JSON(parsing: bytes), object.object != nil { return object }
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw .local(.usage, "the message is not UTF-8")
    }
    while let last = text.last, last.isNewline { text.removeLast() }
    return .string(text)
  }
}
