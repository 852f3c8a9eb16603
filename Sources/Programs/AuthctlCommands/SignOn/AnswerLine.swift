internal import JSON

/// A line of standard input that answers one step.
struct AnswerLine {
  let values: JSONObject
  let action: String?
  let address: String?

  private static let members: Set<String> = ["values", "action", "uri"]

  init(_ text: String) throws(Failure) {
    guard let object = (try? JSON(parsing: text))?.object else { throw Self.wrong("is no JSON object") }
    if let name = object.names.first(where: { !Self.members.contains($0) }) {
      throw Self.wrong("has \"\(name)\", which no answer has")
    }
    values = object["values"]?.object ?? [:]
    action = object["action"]?.string
    address = object["uri"]?.string
    let isWhole =
      (object["values"] == nil || object["values"]?.object != nil)
      && (object["action"] == nil || action != nil) && (object["uri"] == nil || address != nil)
    guard isWhole else { throw Self.wrong("has a member of the wrong type") }
    guard address == nil || (action == nil && values.isEmpty) else {
      throw Self.wrong("has more than \"uri\"")
    }
  }

  /// Whether it answers a step that waits; any other line is for a later step.
  func isMeant(for node: Node) -> Bool {
    if address != nil { return true }
    guard let action else { return !values.isEmpty && knows(node) }
    return node.actions.contains { $0.key == action } && knows(node)
  }

  private func knows(_ node: Node) -> Bool {
    values.names.allSatisfy { name in node.fields.contains { $0.key == name } }
  }

  /// The answer that it gives, together with what was given before.
  func reply(with given: JSONObject) -> Reply {
    if let address { return .resume(address: address) }
    var merged = given
    for member in values.members { merged[member.name] = member.value }
    return .next(values: merged, action: action)
  }

  private static func wrong(_ what: SafeText) -> Failure {
    .local(
      .usage,
      "a line of standard input \(what)",
      hint: #"each line answers one step: {"values":{"KEY":"VALUE"},"action":"KEY"} or {"uri":"ADDRESS"}"#
    )
  }
}
