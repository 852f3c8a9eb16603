import JSON
import Testing

/// A callback, answers to it in each valid form, and the resulting values of its inputs.
struct CallbackSample: Sendable, CustomTestStringConvertible {
  let name: String
  let callback: JSON
  let answers: [JSONObject]
  let inputs: [JSON]
  var refused: [JSONObject] = []

  var testDescription: String { name }

  init(
    _ type: String,
    _ outputs: JSONObject,
    _ inputs: JSONObject,
    _ answers: [JSONObject],
    _ expected: [JSON],
    refused: [JSONObject] = []
  ) {
    name = type
    callback = [
      "type": .string(type), "output": Self.pairs(outputs), "input": Self.pairs(inputs),
    ]
    (self.answers, self.inputs, self.refused) = (answers, expected, refused)
  }

  private static func pairs(_ values: JSONObject) -> JSON {
    .array(values.members.map { ["name": .string($0.name), "value": $0.value] })
  }
}

extension CallbackSample {
  /// One sample of each kind.
  static let all: [CallbackSample] = [
    CallbackSample("NameCallback", ["prompt": "p"], ["IDToken1": ""], [["IDToken1": "ann"]], ["ann"]),
    CallbackSample("PasswordCallback", ["prompt": "p"], ["IDToken2": ""], [["IDToken2": "pw"]], ["pw"]),
    CallbackSample("TextInputCallback", ["defaultText": "d"], ["IDToken1": ""], [[:]], ["d"]),
    CallbackSample("TextInputCallback", ["defaultText": "d"], ["IDToken1": ""], [["IDToken1": ""]], [""]),
    CallbackSample(
      "ChoiceCallback",
      ["choices": ["Email", "SMS"], "defaultChoice": 0],
      ["IDToken1": 0],
      [["IDToken1": 1], ["IDToken1": "1"]],
      [1],
      refused: [["IDToken1": 2], ["IDToken1": "SMS"], ["IDToken1": .number(JSONNumber(0.5))]]
    ),
    CallbackSample(
      "ChoiceCallback",
      ["choices": ["A", "B"], "defaultChoice": 1],
      ["IDToken1": 0],
      [[:]],
      [1]
    ),
    CallbackSample(
      "ConfirmationCallback",
      ["options": ["Submit", "Start Over"], "optionType": -1, "defaultOption": 0],
      ["IDToken2": 100],
      [["IDToken2": 1], ["IDToken2": "1"]],
      [1],
      refused: [["IDToken2": 100]]
    ),
    CallbackSample(
      "ConfirmationCallback",
      ["optionType": 2],
      ["IDToken2": 100],
      [["IDToken2": 3]],
      [3],
      refused: [["IDToken2": 0]]
    ),
    CallbackSample(
      "BooleanAttributeInputCallback",
      ["name": "n", "value": false],
      ["IDToken5": false, "IDToken5validateOnly": false],
      [["IDToken5": true], ["IDToken5": "true"]],
      [true, false],
      refused: [["IDToken5": 1], ["IDToken5": "yes"]]
    ),
    CallbackSample(
      "StringAttributeInputCallback",
      ["name": "mail", "value": "ann"],
      ["IDToken3": "ann", "IDToken3validateOnly": false],
      [["IDToken3": "ann@example.test"]],
      ["ann@example.test", false],
      refused: [["IDToken3": true], ["IDToken3validateOnly": true]]
    ),
    CallbackSample(
      "NumberAttributeInputCallback",
      ["name": "n"],
      ["IDToken1": .null, "IDToken1validateOnly": false],
      [["IDToken1": "12"], ["IDToken1": 12]],
      [12, false],
      refused: [["IDToken1": "twelve"], ["IDToken1": "1e999"], ["IDToken1": [1]]]
    ),
    CallbackSample(
      "ValidatedCreateUsernameCallback",
      ["prompt": "p"],
      ["IDToken1": "", "IDToken1validateOnly": false],
      [["IDToken1": "ann"]],
      ["ann", false]
    ),
    CallbackSample(
      "ValidatedCreatePasswordCallback",
      ["echoOn": false],
      ["IDToken1": "", "IDToken1validateOnly": true],
      [["IDToken1": "pw"]],
      ["pw", true]
    ),
    CallbackSample(
      "KbaCreateCallback",
      ["predefinedQuestions": ["First pet?"], "allowUserDefinedQuestions": true],
      ["IDToken1question": "", "IDToken1answer": ""],
      [["IDToken1question": "First car?", "IDToken1answer": "Beetle"]],
      ["First car?", "Beetle"]
    ),
    CallbackSample(
      "KbaCreateCallback",
      ["predefinedQuestions": ["First pet?"], "allowUserDefinedQuestions": false],
      ["IDToken1answer": "", "IDToken1question": ""],
      [["IDToken1question": "First pet?", "IDToken1answer": "Rex"]],
      ["Rex", "First pet?"],
      refused: [["IDToken1question": "First car?", "IDToken1answer": "Beetle"]]
    ),
    CallbackSample(
      "TermsAndConditionsCallback",
      ["terms": "t"],
      ["IDToken1": false],
      [["IDToken1": true], ["IDToken1": "true"]],
      [true],
      refused: [["IDToken1": "accepted"]]
    ),
    CallbackSample("TermsAndConditionsCallback", ["terms": "t"], ["IDToken1": false], [[:]], [false]),
    CallbackSample(
      "ConsentMappingCallback",
      ["message": "m"],
      ["IDToken1": false],
      [["IDToken1": true]],
      [true]
    ),
    CallbackSample(
      "HiddenValueCallback",
      ["value": "otpauth://totp/x", "id": "mfaDeviceRegistration"],
      ["IDToken3": "mfaDeviceRegistration"],
      [[:]],
      ["mfaDeviceRegistration"]
    ),
    CallbackSample("HiddenValueCallback", ["id": "x"], ["IDToken3": "x"], [["IDToken3": "y"]], ["y"]),
    CallbackSample("HiddenValueCallback", ["id": "clientError"], ["IDToken3": "x"], [[:]], ["x"]),
    CallbackSample(
      "HiddenValueCallback",
      ["id": "webAuthnOutcome"],
      ["IDToken3": "x"],
      [[:]],
      ["unsupported"]
    ),
    CallbackSample("DeviceProfileCallback", ["metadata": false], ["IDToken1": ""], [[:]], ["{}"]),
    CallbackSample(
      "DeviceProfileCallback",
      ["metadata": true],
      ["IDToken1": ""],
      [["IDToken1": ["identifier": "i"]], ["IDToken1": #"{"identifier":"i"}"#]],
      [#"{"identifier":"i"}"#],
      refused: [["IDToken1": 1]]
    ),
    CallbackSample(
      "DeviceBindingCallback",
      ["challenge": "c"],
      ["IDToken1jws": "", "IDToken1deviceName": "", "IDToken1deviceId": "", "IDToken1clientError": ""],
      [[:]],
      ["", "", "", "Unsupported"],
      refused: [["IDToken1jws": "x"]]
    ),
    CallbackSample(
      "DeviceSigningVerifierCallback",
      [:],
      ["IDToken1jws": "", "IDToken1clientError": ""],
      [[:]],
      ["", "Unsupported"]
    ),
    CallbackSample(
      "ReCaptchaEnterpriseCallback",
      [:],
      ["IDToken1token": "", "IDToken1action": "", "IDToken1clientError": "", "IDToken1payload": ""],
      [[:]],
      ["", "", "Unsupported", ""]
    ),
    CallbackSample(
      "ReCaptchaCallback",
      ["recaptchaSiteKey": "k"],
      ["IDToken1": ""],
      [["IDToken1": "t"]],
      ["t"]
    ),
    CallbackSample(
      "SelectIdPCallback",
      ["providers": [["provider": "google"], ["provider": "localAuthentication"]]],
      ["IDToken1": ""],
      [[:], ["IDToken1": "localAuthentication"]],
      ["localAuthentication"],
      refused: [["IDToken1": "facebook"]]
    ),
    CallbackSample(
      "SomethingNewCallback",
      ["prompt": "p"],
      ["IDToken1a": 1, "IDToken1b": "x"],
      [["IDToken1a": ["any": true]]],
      [["any": true], "x"]
    ),
  ]
}
