import JSON

/// What is wrong with the callbacks of a request, in AM's words.
enum CallbackMismatch: String, Error {
  case number = "Incorrect number of callbacks found in JSON response"
  case order = "Required callback not found"
}

extension FlowPlay {
  private static let script = "4"

  /// The values that a client gives to the callbacks of the page, by the names of their inputs: all of them, in their
  /// order, but for scripts.
  func answers(in body: JSONObject) -> Result<JSONObject, CallbackMismatch> {
    let given = body["callbacks"]?.array ?? []
    let needed = turn.callbacks.filter { !Self.isScript($0) }
    guard given.count == turn.callbacks.count || given.count == needed.count else { return .failure(.number) }
    let expected = given.count == turn.callbacks.count ? turn.callbacks : needed
    var answers: JSONObject = [:]
    for (callback, expected) in zip(given, expected) {
      let (inputs, names) = (
        callback["input"]?.array ?? [], (expected["input"]?.array ?? []).compactMap(Self.name)
      )
      guard callback["type"] == expected["type"], inputs.compactMap(Self.name) == names else {
        return .failure(.order)
      }
      for (name, input) in zip(names, inputs) { answers[name] = input["value"] ?? .null }
    }
    return .success(answers)
  }

  private static func name(_ input: JSON) -> String? { input["name"]?.string }

  private static func isScript(_ callback: JSON) -> Bool {
    callback["type"] == "TextOutputCallback"
      && (callback["output"]?.array ?? []).contains {
        $0["name"] == "messageType" && $0["value"]?.string == script
      }
  }
}
