import JSON

extension FlowPlay {
  /// The values that a client gives to the callbacks of the page, by the names of their inputs: all of them, in their
  /// order, but for scripts.
  func answers(in body: JSONObject) throws(Refusal) -> JSONObject {
    let given = body["callbacks"]?.array ?? []
    let needed = turn.callbacks.filter { !Self.isScript($0) }
    guard given.count == turn.callbacks.count || given.count == needed.count else {
      throw .am(400, "Incorrect number of callbacks found in JSON response")
    }
    let expected = given.count == turn.callbacks.count ? turn.callbacks : needed
    var answers: JSONObject = [:]
    for (callback, expected) in zip(given, expected) {
      let inputs = callback["input"]?.array ?? []
      let names = (expected["input"]?.array ?? []).compactMap(Self.name)
      guard callback["type"] == expected["type"], inputs.compactMap(Self.name) == names else {
        throw .am(400, "Required callback not found")
      }
      for (name, input) in zip(names, inputs) { answers[name] = input["value"] ?? .null }
    }
    return answers
  }

  private static func name(_ input: JSON) -> String? { input["name"]?.string }

  /// A text of type 4 is a script.
  private static func isScript(_ callback: JSON) -> Bool {
    callback["type"] == "TextOutputCallback"
      && (callback["output"]?.array ?? []).contains { $0["name"] == "messageType" && $0["value"] == "4" }
  }
}
