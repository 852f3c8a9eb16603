import ControlAPI
import JSON
import JSONRPC
import Testing

@testable import SignOn

/// A callback, an answer in each form in which one may be given, and what its inputs then hold.
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

@Suite("Answers to callbacks")
struct CallbackTests {
  private static let samples: [CallbackSample] = [
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

  private static func step(_ callbacks: [JSON], more: JSONObject = [:]) throws -> JourneyStep {
    var object: JSONObject = ["authId": "a", "callbacks": .array(callbacks)]
    for member in more.members { object[member.name] = member.value }
    return try JourneyStep(.object(object), JourneyContext())
  }

  private static func inputs(_ reply: JourneyStep.Reply) -> [JSON]? {
    guard case .body(let body) = reply else { return nil }
    return (body["callbacks"]?.array ?? []).flatMap { $0["input"]?.array ?? [] }.compactMap { $0["value"] }
  }

  @Test("each form of an answer becomes what the server wants, and no other does", arguments: samples)
  func answered(sample: CallbackSample) throws {
    let step = try Self.step([sample.callback])
    for answer in sample.answers {
      #expect(Self.inputs(try step.reply(answer)) == sample.inputs, "\(JSON.object(answer).text)")
    }
    for answer in sample.refused {
      #expect(throws: RPCError.invalidParameter("values"), "\(JSON.object(answer).text)") {
        _ = try step.reply(answer)
      }
    }
  }

  @Test(
    "an answer is in the key that a page shows, and every callback of the table is in a sample or only shown"
  )
  func keys() throws {
    for sample in Self.samples {
      let keys = Set(try Self.step([sample.callback]).page(nil).collectors.map(\.key))
      for answer in sample.answers { #expect(keys.isSuperset(of: answer.names), "\(sample.name)") }
    }
    let shown: Set<String> = [
      "AppIntegrityCallback", "IdPCallback", "MetadataCallback", "PingOneProtectEvaluationCallback",
      "PingOneProtectInitializeCallback", "PollingWaitCallback", "RedirectCallback",
      "SuspendedTextOutputCallback", "TextOutputCallback",
    ]
    #expect(Set(CallbackTable.all.keys).subtracting(Self.samples.map(\.name)) == shown)
  }

  @Test("fields that would have the same key have keys of their own")
  func distinct() throws {
    let name = Self.samples[0].callback
    let step = try Self.step([name, name, name])
    #expect(step.page(nil).collectors.map(\.key) == ["IDToken1", "callback1", "callback2"])
    #expect(Self.inputs(try step.reply(["IDToken1": "a", "callback2": "c"])) == ["a", "", "c"])
  }

  @Test("several confirmations are several choices")
  func confirmations() throws {
    func confirmation(_ key: String) -> JSON {
      [
        "type": "ConfirmationCallback", "output": [["name": "options", "value": ["A", "B"]]],
        "input": [["name": .string(key), "value": 100]],
      ]
    }
    let step = try Self.step([confirmation("IDToken1"), confirmation("IDToken2")])
    guard case .missing(let missing) = try step.reply(["IDToken1": 1]) else {
      Issue.record("nothing was chosen in the second")
      return
    }
    #expect(missing.keys.sorted() == ["IDToken2"])
    #expect(Self.inputs(try step.reply(["IDToken1": 1, "IDToken2": 0])) == [1, 0])
  }

  @Test("what a stage says in JSON names the button, in the language that was asked for")
  func button() throws {
    let stage: JSON = ["submitButtonText": ["en": "Register", "de": "Anmelden"], "themeId": "t"]
    let step = try Self.step([], more: ["stage": .string(stage.text)])
    for (language, label) in [("de-CH", "Anmelden"), ("fr", "Register"), (nil, "Register")] {
      #expect(step.page(language).actions.map(\.label) == [label])
    }
    #expect(try Self.step([], more: ["stage": "Login"]).page(nil).actions.map(\.label) == ["Next"])
  }

  @Test("policies that failed are said in words, whether they come as text, as objects or as names")
  func policies() throws {
    let failures: JSON = [
      #"{ "policyRequirement": "MIN_LENGTH", "params": {"minLength": 8} }"#,
      ["policyRequirement": "CANNOT_CONTAIN_OTHERS", "params": ["disallowedFields": ["sn", "givenName"]]],
      "UNIQUE", #"{"policyRequirement":"SOMETHING_\u202eNEW"}"#, "{broken", 5,
    ]
    let message = PolicyRule.message(of: PolicyRule.failures(failures))
    #expect(
      message
        == "must have at least 8 characters; must not contain what is in sn, givenName; "
        + "must not be in use already; SOMETHING_NEW; {broken"
    )
    #expect(PolicyRule.failures("x").isEmpty && PolicyRule.message(of: []) == nil)
  }

  @Test("terms that are too long to be handed on as they came are shown whole")
  func longTerms() throws {
    let terms = String(repeating: "Be kind.\n", count: 2000)
    let callback: JSON = [
      "type": "TermsAndConditionsCallback", "output": [["name": "terms", "value": .string(terms)]],
      "input": [["name": "IDToken1", "value": false]],
    ]
    let collectors = try Self.step([callback]).page(nil).collectors
    #expect(collectors.map(\.type) == ["TextOutputCallback", "TermsAndConditionsCallback"])
    #expect(collectors.first?.value?.string?.hasPrefix("Be kind.\nBe kind.\n") == true)
    #expect(collectors.last?.raw == nil)
  }
}
