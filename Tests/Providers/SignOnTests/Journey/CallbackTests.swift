import ControlAPI
import JSON
import JSONRPC
import Testing

@testable import SignOn

@Suite("answers to callbacks")
struct CallbackTests {
  private static func step(_ callbacks: [JSON], more: JSONObject = [:]) throws -> JourneyStep {
    var object: JSONObject = ["authId": "a", "callbacks": .array(callbacks)]
    for member in more.members { object[member.name] = member.value }
    return try JourneyStep(.object(object), JourneyContext())
  }

  private static func inputs(_ reply: JourneyStep.Reply) -> [JSON]? {
    guard case .body(let body) = reply else { return nil }
    return (body["callbacks"]?.array ?? []).flatMap { $0["input"]?.array ?? [] }.compactMap { $0["value"] }
  }

  @Test(
    "each valid answer becomes the server's input, and invalid ones are rejected",
    arguments: CallbackSample.all
  )
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
    "answers use the keys of the page, and every callback has a sample or is display-only"
  )
  func keys() throws {
    for sample in CallbackSample.all {
      let keys = Set(try Self.step([sample.callback]).page(nil).collectors.map(\.key))
      for answer in sample.answers { #expect(keys.isSuperset(of: answer.names), "\(sample.name)") }
    }
    let shown: Set<String> = [
      "AppIntegrityCallback", "IdPCallback", "MetadataCallback", "PingOneProtectEvaluationCallback",
      "PingOneProtectInitializeCallback", "PollingWaitCallback", "RedirectCallback",
      "SuspendedTextOutputCallback", "TextOutputCallback",
    ]
    #expect(Set(CallbackTable.all.keys).subtracting(CallbackSample.all.map(\.name)) == shown)
  }

  @Test("fields with equal keys get distinct keys")
  func distinct() throws {
    let name = CallbackSample.all[0].callback
    let step = try Self.step([name, name, name])
    #expect(step.page(nil).collectors.map(\.key) == ["IDToken1", "callback1", "callback2"])
    #expect(Self.inputs(try step.reply(["IDToken1": "a", "callback2": "c"])) == ["a", "", "c"])
  }

  @Test("several confirmations are separate choices")
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

  @Test("a stage in JSON labels the button in the requested language")
  func button() throws {
    let stage: JSON = ["submitButtonText": ["en": "Register", "de": "Anmelden"], "themeId": "t"]
    let step = try Self.step([], more: ["stage": .string(stage.text)])
    for (language, label) in [("de-CH", "Anmelden"), ("fr", "Register"), (nil, "Register")] {
      #expect(step.page(language).actions.map(\.label) == [label])
    }
    #expect(try Self.step([], more: ["stage": "Login"]).page(nil).actions.map(\.label) == ["Next"])
  }

  @Test(
    "the default option is the initial value",
    arguments: ["ChoiceCallback", "ConfirmationCallback"]
  )
  func preset(type: String) throws {
    let names = type == "ChoiceCallback" ? ("choices", "defaultChoice") : ("options", "defaultOption")
    let callback: JSON = [
      "type": .string(type),
      "output": [
        ["name": .string(names.0), "value": ["Email", "SMS"]], ["name": .string(names.1), "value": 1],
      ],
      "input": [["name": "IDToken1", "value": 0]],
    ]
    let step = try Self.step([callback])
    let collector = try #require(step.page(nil).collectors.first)
    #expect(collector.value == "1")
    #expect(collector.options.map(\.value) == ["0", "1"])
    #expect(Self.inputs(try step.reply(["IDToken1": try #require(collector.value)])) == [1])
  }

  @Test(
    "policies are parsed from an object and from a list",
    arguments: [
      [
        ["policyRequirements": ["MIN_LENGTH"], "params": ["minLength": 3]],
        ["policyRequirements": ["REQUIRED"]],
      ],
      [
        "policyRequirements": ["REQUIRED", "MIN_LENGTH"],
        "policies": [["policyRequirements": ["MIN_LENGTH"], "params": ["minLength": 3]]],
      ],
    ] as [JSON]
  )
  func policyForms(policies: JSON) throws {
    let rules = PolicyRule.rules(of: policies)
    #expect(Set(rules.map(\.text)) == ["must have at least 3 characters", "must be given"])
    #expect(PolicyRule.validation(rules)?.message == "must have at least 3 characters")
  }

  @Test("a pattern is read from regexp or regex, and dropped if it has flags")
  func patterns() throws {
    func validation(_ params: JSON) -> Collector.Validation? {
      let policies: JSON = [["policyId": "p", "policyRequirements": ["MATCH_REGEXP"], "params": params]]
      return PolicyRule.validation(PolicyRule.rules(of: policies))
    }
    for params in [["regexp": "^a+$"], ["regex": "^a+$"], ["regexp": "^a+$", "regex": "b", "flags": ""]]
      as [JSON]
    {
      #expect(validation(params)?.pattern == "^a+$")
      #expect(validation(params)?.message == "must have the form ^a+$")
    }
    #expect(validation(["regexp": "^a+$", "flags": "i"])?.pattern == nil)
    #expect(validation(["regexp": "^a+$", "flags": "i"])?.message == "must have the form ^a+$")
    #expect(validation([:])?.pattern == nil)
  }

  @Test("failed policies become messages, given as text, object or name")
  func policies() throws {
    let failures: JSON = [
      #"{ "policyRequirement": "MIN_LENGTH", "params": {"minLength": 8} }"#,
      ["policyRequirement": "CANNOT_CONTAIN_OTHERS", "params": ["disallowedFields": ["sn", "givenName"]]],
      "UNIQUE", #"{"policyRequirement":"SOMETHING_\u202eNEW"}"#, "{broken", 5,
    ]
    let message = PolicyRule.message(of: PolicyRule.failures(failures))
    #expect(
      message
        == "must have at least 8 characters; must not contain the value of sn, givenName; "
        + "must not be in use already; SOMETHING_NEW; {broken"
    )
    #expect(PolicyRule.failures("x").isEmpty && PolicyRule.message(of: []) == nil)
  }

  @Test("terms that are too long for raw data are shown in full")
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
