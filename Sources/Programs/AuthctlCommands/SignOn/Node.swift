internal import JSON

/// One step of a sign-on as the daemon gives it.
struct Node {
  let json: JSON
  let collectors: [Collector]
  let actions: [Action]

  init(json: JSON) {
    self.json = json
    collectors = (json["collectors"]?.array ?? []).map { Collector(json: $0) }
    actions = (json["actions"]?.array ?? []).map(Action.init)
  }

  var kind: String { json["node"]?.string ?? "" }
  var message: String? { json["message"]?.string }
  var isJourney: Bool { json["method"] == "journey" }

  /// The page that the sign-on goes on at.
  var browserURL: String? { json["browserUrl"]?.string }

  /// What wants an answer.
  var fields: [Collector] { collectors.filter { $0.prompt.ask != nil && !$0.key.isEmpty } }

  /// Whether something outside decides how it goes on, which the daemon looks at.
  var waits: Bool { collectors.contains { $0.prompt.waits } }

  /// Whether it goes on only with the address at which a browser ended, or which came by e-mail.
  var wantsAddress: Bool {
    !waits && fields.isEmpty && (browserURL != nil || collectors.contains { $0.prompt.wantsAddress })
  }

  /// Whether a browser is sent back with an address, and not only signed on elsewhere.
  var endsAtAddress: Bool { json["method"] != "device" }

  /// Whether an answer was wrong: an error, or a page that came again with what is wrong in its fields.
  var isRepeated: Bool { kind == "error" || fields.contains { $0.problem != nil } }

  /// What introduces the step.
  var heading: [SafeText] {
    [json["title"], json["description"]].compactMap { $0?.string }.flatMap { Markup.lines($0) }
  }

  /// Whether another step looks the same, so that it need not be shown again.
  func looks(like other: Node) -> Bool {
    ["title", "description", "message", "collectors", "actions", "browserUrl"].allSatisfy {
      json[$0] == other.json[$0]
    }
  }
}

/// A way to go on from a step.
struct Action {
  let key: String
  let label: SafeText
  let isSubmit: Bool

  init(json: JSON) {
    key = json["key"]?.string ?? ""
    label = json["label"]?.string.map { Markup.line($0) } ?? "\(key)"
    isSubmit = json["kind"] == "submit"
  }
}
