internal import JSON

extension Command {
  static let testPush = Command(
    "test-push",
    "[GEO]",
    words: 0...1,
    summary: "look at everything that a push needs to arrive, and let one come",
    details: """
      One line for each test: pass, warning or fail, its name, what was looked at, what was found. The exit code
      is 0 unless a test failed. Without GEO it is the first geography in which somebody is paired.
      """
  ) { (session) throws(Failure) in
    var params: JSONObject = [:]
    params["geo"] = session.arguments.words.first.map { .string($0) }
    let report = try session.call("device.testPush", params)
    let rows = PushTestText.rows(report)
    guard report["result"] != "fail" else {
      throw .local(.pushTestFailed, "a push does not arrive", list: rows, details: report)
    }
    try session.output.result(report) { _ in rows }
  }
}

private enum PushTestText {
  static func rows(_ report: JSON) -> [SafeText] {
    Columns.lines(
      (report["tests"]?.array ?? []).map { test in
        let description = Describe.value(test["description"])
        let info: SafeText? = test["info"].map { "\(description): \(Describe.value($0))" }
        return [Describe.value(test["result"]), Describe.value(test["name"]), info ?? description]
      }
    )
  }
}
