import ControlAPI
import JSON
import JSONRPC
import Testing
import WebAddress

@testable import SignOn

private let link: JSON = ["href": "https://auth.example/e-1/flows/f"]

private let signOn: JSON = [
  "status": "USERNAME_PASSWORD_REQUIRED", "resumeUrl": "https://auth.example/e-1/as/resume",
  "_links": [
    "self": link, "usernamePassword.check": link,
    "password.forgot": ["href": "https://auth.example/e-1/flows/f/forgot"],
  ],
]

private func read(_ json: JSON) throws -> PolicyStep {
  try PolicyStep(json, origin: try #require(WebURL("https://auth.example/")).origin)
}

private func step(_ status: String, _ actions: [String], embedded: JSON = [:]) throws -> PolicyStep {
  try read([
    "status": .string(status), "_links": .object(JSONObject((actions + ["self"]).map { ($0, link) })),
    "_embedded": embedded,
  ])
}

@Suite("steps of a sign-on policy")
struct PolicyStepTests {
  @Test("status, links and resume URL of a step are parsed")
  func parts() throws {
    let step = try read(signOn)
    #expect(step.status == "USERNAME_PASSWORD_REQUIRED")
    #expect(step.resume?.text == "https://auth.example/e-1/as/resume")
    #expect(step.links["usernamePassword.check"]?.text == "https://auth.example/e-1/flows/f")
    #expect(try read(["status": "COMPLETED"]).resume == nil)
  }

  @Test("a malformed step is rejected, and links to another origin have their own error")
  func refused() throws {
    let elsewhere: JSON = "https://evil.example/x"
    let malformed: [JSON] = [[], [:], ["status": 1], ["status": .string(String(repeating: "X", count: 65))]]
    for json in malformed { #expect(throws: SignOnFailure.malformed) { try read(json) } }
    let foreign: [JSON] = [
      ["status": "X", "resumeUrl": elsewhere], ["status": "X", "resumeUrl": "/relative"],
      ["status": "X", "_links": ["self": ["href": elsewhere]]],
      ["status": "X", "_links": ["otp.check": ["href": elsewhere]]],
      ["status": "X", "_links": ["otp.check": ["href": "http://auth.example/x"]]],
    ]
    for json in foreign { #expect(throws: SignOnFailure.foreignLink, "\(json.text)") { try read(json) } }
    // mfad does not follow this link.
    let unused: JSON = [
      "status": "X", "_links": ["registration.external": ["href": elsewhere], "self": link],
    ]
    #expect(try Array(read(unused).links.keys) == ["self"])
    #expect(try read(["status": "X", "_links": ["a": "x", "b": ["href": 1]]]).links.isEmpty)
  }

  @Test("a step is distinguished from a DaVinci page")
  func described() {
    #expect(PolicyStep.describes(signOn))
    #expect(PolicyStep.describes(["status": "COMPLETED", "resumeUrl": "https://auth.example/x"]))
    let pages: [JSON] = [
      [:], ["status": "FAILED", "error": [:]], ["eventName": "continue", "_links": ["next": link]],
      ["status": "COMPLETED", "connectorId": "pingOneAuthenticationConnector", "resumeUrl": "x"],
    ]
    for page in pages { #expect(!PolicyStep.describes(page), "\(page.text)") }
  }
}

@Suite("pages of a sign-on policy")
struct PolicyPageTests {
  @Test("a step for name and password requests both and offers its other actions")
  func signOnPage() throws {
    let page = try read(signOn).page()
    #expect(page.title == "Sign On" && page.message == nil)
    #expect(page.collectors.map(\.key) == ["username", "password"])
    #expect(page.collectors.map(\.isSecret) == [false, true])
    #expect(page.actions.map(\.key) == ["usernamePassword.check", "password.forgot"])
    #expect(page.actions.map(\.kind.choice) == [.submit, .link])
  }

  @Test("a chosen action with input has its own page, and the other actions remain")
  func chosenPage() throws {
    let forgot = try #require(PolicyAction.all.first { $0.name == "password.forgot" })
    let page = try read(signOn).page(choosing: forgot)
    #expect(page.title == "Forgot password" && page.collectors.map(\.key) == ["username"])
    #expect(page.actions.map(\.key) == ["password.forgot", "usernamePassword.check"])
    #expect(page.actions.map(\.kind.choice) == [.submit, .flow])
  }

  @Test(
    "each supported status requests the values of its action's body",
    arguments: [
      ("PASSWORD_REQUIRED", "password.check", ["password"]),
      ("MUST_CHANGE_PASSWORD", "password.reset", ["currentPassword", "newPassword"]),
      ("PASSWORD_EXPIRED", "password.reset", ["currentPassword", "newPassword"]),
      ("RECOVERY_CODE_REQUIRED", "password.recover", ["recoveryCode", "newPassword"]),
      ("VERIFICATION_CODE_REQUIRED", "user.verify", ["verificationCode"]),
      ("OTP_REQUIRED", "otp.check", ["otp"]), ("SIGN_ON_REQUIRED", "user.lookup", ["username"]),
      ("DEVICE_SELECTION_REQUIRED", "device.select", ["device"]),
      ("CONSENT_REQUIRED", "user.consent", ["accept"]),
      ("DAG_USER_CODE_REQUIRED", "deviceAuthGrant.userCode.verify", ["userCode"]),
      ("DAG_CONSENT_REQUIRED", "deviceAuthGrant.consent", ["accept"]),
    ]
  )
  func asked(status: String, action: String, keys: [String]) throws {
    let page = try step(status, [action]).page()
    #expect(page.collectors.map(\.key) == keys)
    #expect(page.collectors.map(\.isRequired) == keys.map { _ in true })
    #expect(page.collectors.map(\.isSecret) == keys.map { $0.lowercased().contains("password") })
    #expect(page.actions.map(\.key) == [action] && page.actions.map(\.kind.choice) == [.submit])
  }

  @Test("devices are options, and the selected one is the default")
  func devices() throws {
    let embedded: JSON = [
      "devices": [
        ["id": "d1", "type": "MOBILE", "nickname": "laptop"],
        ["id": "d2", "type": "EMAIL", "email": "a***@x"],
        ["type": "SMS"],
      ],
      "selectedDevice": ["id": "d2"],
    ]
    let device = try #require(
      try step("DEVICE_SELECTION_REQUIRED", ["device.select"], embedded: embedded).page().collectors.first
    )
    #expect(device.options.map(\.value) == ["d1", "d2"])
    #expect(device.options.map(\.label) == ["MOBILE laptop", "EMAIL a***@x"])
    #expect(device.value == "d2")
    let action = try #require(PolicyAction.all.first { $0.name == "device.select" })
    #expect(action.body(["device": "d1"]) == ["device": ["id": "d1"]])
  }

  @Test("profile attributes are requested by name, and dotted names become objects")
  func profile() throws {
    let embedded: JSON = [
      "promptText": "tell us",
      "attributes": [["name": "name.given", "required": true], ["name": "email", "displayName": "Mail"]],
    ]
    let page = try step("PROFILE_DATA_REQUIRED", ["user.update"], embedded: embedded).page()
    #expect(page.description == "tell us")
    #expect(page.collectors.map(\.label) == ["name.given", "Mail"])
    #expect(page.collectors.map(\.isRequired) == [true, false])
    let action = try #require(PolicyAction.all.first { $0.name == "user.update" })
    let body = action.body(["name.given": "Ann", "name.family": "Lee", "email": "a@x"])
    #expect(body == ["name": ["given": "Ann", "family": "Lee"], "email": "a@x"])
  }

  @Test("a push is polled, with other actions beside it")
  func push() throws {
    let page = try step("PUSH_CONFIRMATION_REQUIRED", ["device.select"]).page()
    #expect(page.collectors.map(\.type) == ["PollingCollector"])
    #expect(page.actions.map(\.kind.choice) == [.flow])
    let over = try step("PUSH_CONFIRMATION_TIMED_OUT", ["device.select"]).page()
    #expect(over.message == "the request was not answered in time")
  }

  @Test("an unsupported or unknown status has the cause UNSUPPORTED")
  func unsupported() throws {
    let statuses = [
      "EXTERNAL_AUTHENTICATION_REQUIRED", "ASSERTION_REQUIRED", "ACCOUNT_LINKING_REQUIRED", "NEW",
    ]
    for status in statuses {
      let step = try step(status, ["assertion.check"])
      let failure = #expect(throws: SignOnFailure.self) { try step.page() }
      #expect(failure?.cause == "UNSUPPORTED")
    }
  }
}

@Suite("answers to a step of a sign-on policy")
struct PolicyAnswerTests {
  @Test("an answer must contain exactly the requested values")
  func values() throws {
    let collectors = try read(signOn).page().collectors
    let given: JSONObject = ["username": "ann", "password": "p\"w"]
    #expect(try PolicyStep.values(given, for: collectors) == given)
    let wrong: [JSONObject] = [
      [:], ["username": "ann"], ["username": "ann", "password": ""],
      ["username": "ann", "password": "x", "other": "x"], ["username": 1, "password": "x"],
    ]
    for given in wrong {
      #expect(throws: RPCError.invalidParameter("values")) {
        try PolicyStep.values(given, for: collectors)
      }
    }
  }

  @Test("a choice must be one of the options, and the default may be omitted")
  func choice() throws {
    var device = Collector(key: "device", type: "SingleSelectCollector")
    (device.isRequired, device.value) = (true, "d1")
    device.options = [Collector.Option(label: "one", value: "d1")]
    #expect(try PolicyStep.values([:], for: [device]) == ["device": "d1"])
    #expect(throws: RPCError.self) { try PolicyStep.values(["device": "d2"], for: [device]) }
  }

  @Test("wrong input has mfad's message, or the issuer's with control characters removed")
  func wrongInput() {
    let ours: JSON = ["details": [["target": "password", "message": "x"]]]
    #expect(PolicyStep.wrongInput(ours) == "the username or password is not right")
    let theirs: JSON = ["message": "y", "details": [["target": "otp", "message": "a\u{202E}b\u{7}"]]]
    #expect(PolicyStep.wrongInput(theirs) == "ab")
    #expect(PolicyStep.wrongInput(["message": "y", "details": [[:]]]) == "y")
    for json in [[:], ["message": "y"], ["details": []], "x"] as [JSON] {
      #expect(PolicyStep.wrongInput(json) == nil, "\(json.text)")
    }
  }
}
