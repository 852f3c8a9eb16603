import JSON

/// The callbacks that a flow file may describe by their outputs alone, with their inputs and initial values.
enum JourneyCallback {
  /// An input; its initial value is the value of the output named `output`, if there is one, else `value`.
  private struct Input: Sendable {
    var suffix = ""
    var output: String?
    var value: JSON = ""
  }

  private static let text = [Input()]
  private static let no = [Input(value: false)]

  private static func texts(_ suffixes: String...) -> [Input] { suffixes.map { Input(suffix: $0) } }

  private static func attribute(_ empty: JSON = "") -> [Input] {
    [Input(output: "value", value: empty), Input(suffix: "validateOnly", value: false)]
  }

  /// Inputs by the type of the callback.
  private static let inputs: [String: [Input]] = [
    "NameCallback": text, "PasswordCallback": text, "ReCaptchaCallback": text, "DeviceProfileCallback": text,
    "TextInputCallback": [Input(output: "defaultText")],
    "ChoiceCallback": [Input(output: "defaultChoice", value: 0)], "ConfirmationCallback": [Input(value: 100)],
    "BooleanAttributeInputCallback": attribute(false), "StringAttributeInputCallback": attribute(),
    "NumberAttributeInputCallback": attribute(.null), "ValidatedCreateUsernameCallback": attribute(),
    "ValidatedCreatePasswordCallback": attribute(), "KbaCreateCallback": texts("question", "answer"),
    "TermsAndConditionsCallback": no, "ConsentMappingCallback": no,
    "HiddenValueCallback": [Input(output: "id")], "SelectIdPCallback": [Input(output: "value")],
    "TextOutputCallback": [], "SuspendedTextOutputCallback": [], "PollingWaitCallback": [],
    "MetadataCallback": [], "RedirectCallback": [],
    "DeviceBindingCallback": texts("jws", "deviceName", "deviceId", "clientError"),
    "DeviceSigningVerifierCallback": texts("jws", "clientError"),
    "AppIntegrityCallback": texts("attestToken", "token", "clientError", "clientData", "keyId"),
    "PingOneProtectInitializeCallback": texts("clientError"),
    "PingOneProtectEvaluationCallback": texts("signals", "clientError"),
    "ReCaptchaEnterpriseCallback": texts("token", "action", "clientError", "payload"),
    "IdPCallback": texts("token", "token_type"),
  ]

  static func isKnown(_ type: String) -> Bool { inputs[type] != nil }

  private static let failedPolicies = "failedPolicies"

  /// Returns a callback in AM's format from its description in a flow file.
  ///
  /// A callback with `output` or `input` is sent unchanged.
  static func expand(_ written: JSONObject, at index: Int, failed: [JSON]?) -> JSON {
    var callback = written
    if isVerbatim(written) {
      if callback["_id"] == nil { callback["_id"] = .int(index) }
      return .object(callback)
    }
    let type = written["type"]?.string ?? ""
    var outputs = written.members.filter { $0.name != "type" }.map { ($0.name, $0.value) }
    if let failed {
      outputs.removeAll { $0.0 == failedPolicies }
      outputs.append((failedPolicies, .array(failed)))
    }
    let inputs = (inputs[type] ?? []).map { input in
      JSON.of([
        "name": "IDToken\(index + 1)\(input.suffix)",
        "value": input.output.flatMap { written[$0] } ?? input.value,
      ])
    }
    var members: JSONObject = ["type": .string(type)]
    members["output"] = .array(outputs.map { ["name": .string($0.0), "value": $0.1] })
    if !inputs.isEmpty { members["input"] = .array(inputs) }
    members["_id"] = .int(index)
    return .object(members)
  }

  static func isVerbatim(_ written: JSONObject) -> Bool {
    written["output"] != nil || written["input"] != nil
  }
}

extension FlowPlay {
  /// Returns the client's values for the callbacks of the page, by input name.
  ///
  /// The request must contain all callbacks in their order; only scripts may be missing.
  func answers(in body: JSONObject) throws(ErrorResponse) -> JSONObject {
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
