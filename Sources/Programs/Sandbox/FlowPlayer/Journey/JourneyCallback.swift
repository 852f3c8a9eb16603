import JSON

/// The callbacks that a file may write by their outputs alone: what they have as input, and its first value.
struct JourneyCallback: Sendable {
  /// The first value of an input.
  enum Initial: Sendable {
    case value(JSON)
    /// The output of that name, or else this.
    case output(String, JSON)
  }

  let type: String
  let inputs: [(suffix: String, initial: Initial)]

  private init(_ type: String, _ inputs: [(String, Initial)]) {
    self.type = type
    self.inputs = inputs.map { (suffix: $0.0, initial: $0.1) }
  }

  private static func text(_ type: String) -> JourneyCallback { JourneyCallback(type, [("", .value(""))]) }

  private static func attribute(_ type: String, _ empty: JSON) -> JourneyCallback {
    JourneyCallback(type, [("", .output("value", empty)), ("validateOnly", .value(false))])
  }

  private static func silent(_ type: String) -> JourneyCallback { JourneyCallback(type, []) }

  private static func texts(_ type: String, _ suffixes: [String]) -> JourneyCallback {
    JourneyCallback(type, suffixes.map { ($0, .value("")) })
  }

  static let all: [JourneyCallback] = [
    text("NameCallback"), text("PasswordCallback"), text("ReCaptchaCallback"), text("DeviceProfileCallback"),
    JourneyCallback("TextInputCallback", [("", .output("defaultText", ""))]),
    JourneyCallback("ChoiceCallback", [("", .output("defaultChoice", 0))]),
    JourneyCallback("ConfirmationCallback", [("", .value(100))]),
    attribute("BooleanAttributeInputCallback", false), attribute("StringAttributeInputCallback", ""),
    attribute("NumberAttributeInputCallback", .null), attribute("ValidatedCreateUsernameCallback", ""),
    attribute("ValidatedCreatePasswordCallback", ""), texts("KbaCreateCallback", ["question", "answer"]),
    JourneyCallback("TermsAndConditionsCallback", [("", .value(false))]),
    JourneyCallback("ConsentMappingCallback", [("", .value(false))]),
    JourneyCallback("HiddenValueCallback", [("", .output("id", ""))]),
    JourneyCallback("SelectIdPCallback", [("", .output("value", ""))]), silent("TextOutputCallback"),
    silent("SuspendedTextOutputCallback"), silent("PollingWaitCallback"), silent("MetadataCallback"),
    silent("RedirectCallback"),
    texts("DeviceBindingCallback", ["jws", "deviceName", "deviceId", "clientError"]),
    texts("DeviceSigningVerifierCallback", ["jws", "clientError"]),
    texts("AppIntegrityCallback", ["attestToken", "token", "clientError", "clientData", "keyId"]),
    texts("PingOneProtectInitializeCallback", ["clientError"]),
    texts("PingOneProtectEvaluationCallback", ["signals", "clientError"]),
    texts("ReCaptchaEnterpriseCallback", ["token", "action", "clientError", "payload"]),
    texts("IdPCallback", ["token", "token_type"]),
  ]

  private static let failedPolicies = "failedPolicies"

  /// A callback as AM sends it, from what the file says of it; one with `output` or `input` is sent as it is.
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
    let inputs = (all.first { $0.type == type }?.inputs ?? []).map { input -> JSON in
      let value: JSON =
        switch input.initial {
        case .value(let value): value
        case .output(let name, let standard): written[name] ?? standard
        }
      return ["name": .string("IDToken\(index + 1)\(input.suffix)"), "value": value]
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
