import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestCourier
import TestLoop
import Testing
import WebAddress

@testable import SignOn

/// `DaVinciFlow` with a server that a test controls.
@Suite("DaVinci flows", .timeLimit(.minutes(30)))
struct DaVinciFlowTests {
  private static func run(
    _ body: @escaping @EventLoop @Sendable (DaVinciFlow, PlayedServer) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let server = try PlayedServer()
      defer { server.stop() }
      let flow = DaVinciFlow(try server.login())
      try await body(flow, server)
    }
  }

  private static let text: JSON = [
    "type": "TEXT", "key": "user.username", "label": "Username", "required": true,
  ]
  private static let secret: JSON = ["type": "PASSWORD", "key": "user.password", "required": true]
  private static let submit: JSON = ["type": "SUBMIT_BUTTON", "key": "go", "label": "Sign On"]
  private static let forgot: JSON = ["type": "FLOW_LINK", "inputType": "ACTION", "key": "forgot"]
  private static let form = page(text, secret, submit, forgot)

  @Test("an answer is posted to the page's link with its interaction ids, and yields the next page")
  func next() async throws {
    try await Self.run { flow, server in
      try await flow.begin(Self.form)
      server.answers = [.init(page(Self.submit))]
      let step = try await flow.next(StepInput(values: ["user.username": "ann", "user.password": "s3cret!"]))
      #expect(try step.page().actions.map(\.key) == ["go"])
      let request = try #require(server.requests.first)
      #expect(request.method == .post && request.url.text == "https://auth.example/e-1/davinci/connections/c")
      #expect(request.header("Content-Type") == "application/json")
      #expect(request.header("X-Requested-With") == "ping-sdk")
      #expect(request.header("X-Requested-Platform") == "javascript")
      #expect(request.header("interactionId") == "i-1" && request.header("interactionToken") == "t-1")
      let data: JSON = [
        "actionKey": "go", "formData": ["user.username": "ann", "user.password": "s3cret!"],
      ]
      #expect(
        server.bodies == [
          [
            "id": "p1", "eventName": "continue", "interactionId": "i-1",
            "parameters": ["eventType": "submit", "data": data],
          ]
        ]
      )
    }
  }

  @Test("cookies are returned for every spelling of the Set-Cookie header")
  func cookies() async throws {
    try await Self.run { flow, server in
      server.answers = [
        .init(
          page(Self.submit),
          headers: [
            ("Set-Cookie", "a=1; Path=/"), ("SET-COOKIE", "ST=s; Path=/; Secure"),
            ("set-cookie", "b=2; Path=/e-1"),
          ]
        ), .init(page(Self.submit)),
      ]
      try await flow.begin(page(Self.submit))
      _ = try await flow.next(StepInput())
      _ = try await flow.next(StepInput())
      #expect(server.requests.last?.header("Cookie") == "b=2; a=1; ST=s")
    }
  }

  @Test("an action of another option sends that action with the values so far")
  func leave() async throws {
    try await Self.run { flow, server in
      try await flow.begin(Self.form)
      server.answers = [.init(page(Self.submit))]
      _ = try await flow.next(StepInput(values: ["user.username": "ann"], action: "forgot"))
      #expect(server.bodies[0]["parameters"]?["eventType"] == "action")
      #expect(
        server.bodies[0]["parameters"]?["data"]
          == ["actionKey": "forgot", "formData": ["user.username": "ann"]]
      )
    }
  }

  @Test("missing values are reported without a request, and unknown keys are rejected")
  func local() async throws {
    try await Self.run { flow, server in
      try await flow.begin(Self.form)
      let page = try await flow.next(StepInput(values: ["user.username": "ann"])).wrongPage()
      #expect(page.collectors.map(\.message) == [nil, "this is needed"])
      #expect(page.message == "user.password: this is needed; nothing was sent")
      let both = try await flow.next(StepInput()).wrongPage()
      #expect(both.collectors.map(\.message) == ["this is needed", "this is needed"])
      #expect(both.message == "something is missing or wrong; nothing was sent")
      await #expect(throws: RPCError.invalidParameter("values")) {
        try await flow.next(StepInput(values: ["x": 1]))
      }
      await #expect(throws: RPCError.invalidParameter("action")) {
        try await flow.next(StepInput(action: "x"))
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("after an error the same page can be answered again with the newest token")
  func wrong() async throws {
    try await Self.run { flow, server in
      try await flow.begin(Self.form)
      let detail: JSON = [
        "target": "password", "message": "too weak",
        "innerError": ["unsatisfiedRequirements": ["length", "length"], "length": "at least 8 characters"],
      ]
      let error: JSON = [
        "code": "invalidValue", "message": " password: \u{7}no ", "interactionToken": "t-2",
        "details": [
          [
            "rawResponse": [
              "code": "INVALID_DATA", "details": [detail, ["target": "shoe", "message": "x"]],
            ]
          ]
        ],
      ]
      server.answers = [.init(error, status: 400), .init(page(Self.submit))]
      let answers = StepInput(values: ["user.username": "ann", "user.password": "x"])
      let page = try await flow.next(answers).wrongPage()
      #expect(page.message == "password: no; x")
      #expect(page.collectors.map(\.message) == [nil, "at least 8 characters"])
      #expect(page.actions.map(\.key) == ["go", "forgot"])
      _ = try await flow.next(answers).page()
      #expect(server.bodies[1]["id"] == "p1")
      #expect(server.requests[1].header("interactionToken") == "t-2")
      #expect(server.requests[1].header("interactionId") == "i-1")
    }
  }

  @Test("an error at the start ends the flow with the server's message")
  func refused() async throws {
    try await Self.run { flow, _ in
      await #expect(throws: SignOnFailure.refused("Invalid DV Flow Policy ID: x")) {
        try await flow.begin(
          ["code": "INVALID_REQUEST", "message": "Invalid DV Flow Policy ID: x"],
          status: 400
        )
      }
    }
  }

  @Test("the final code becomes tokens if the response's state matches")
  func success() async throws {
    try await Self.run { flow, server in
      let request = try await flow.login.makeRequest(responseMode: "pi.flow", pairs: false)
      let response: JSON = ["code": "c-1", "state": .string(request.state)]
      server.answers = [.init(["access_token": "a", "token_type": "Bearer", "id_token": "x.y.z"])]
      let step = try await flow.begin(["status": "COMPLETED", "authorizeResponse": response])
      guard case .done(let tokens) = step else { throw Unexpected(step: step) }
      #expect(tokens?.idToken == "x.y.z")
      #expect(server.requests[0].url.path == "/e-1/as/token")
      #expect(String(decoding: server.requests[0].body, as: UTF8.self).contains("code=c-1"))
      await #expect(throws: SignOnFailure.stateMismatch) {
        try await flow.begin(["authorizeResponse": ["code": "c-1", "state": "other"]])
      }
      await #expect(throws: SignOnFailure.noCode) { try await flow.begin(["session": ["id": "s"]]) }
      #expect(server.requests.count == 1)
    }
  }

  @Test("a server error, a redirect or a body that is not JSON ends the sign-on")
  func failures() async throws {
    let deep = String(repeating: "[", count: 5000)
    let half = String(decoding: Self.form.serialized.prefix(200), as: UTF8.self)
    let cases: [(PlayedServer.Answer, SignOnFailure)] = [
      (.init(text: "<html>", status: 200), .notJSON), (.init(text: "<html>", status: 400), .notJSON),
      (.init(text: "", status: 200), .notJSON), (.init(text: half), .notJSON), (.init(text: deep), .notJSON),
      (.init(text: "[]"), .notJSON), (.init(text: #"{"a":1,"a":2}"#), .notJSON),
      (.init(text: "", status: 302), .redirected), (.init(text: "<html>", status: 503), .serverError),
      (.init(Self.form, status: 500), .serverError), (.init([:]), .malformed),
      (.init(["code": "1999"], status: 401), .sessionExpired),
      (.init(["code": "requestTimedOut"], status: 400), .sessionExpired),
      (.init(text: Self.form.text + String(repeating: " ", count: 256 * 1024)), .tooLarge),
    ]
    try await Self.run { flow, server in
      for (answer, failure) in cases {
        try await flow.begin(Self.form)
        server.answers = [answer]
        await #expect(throws: failure, "\(String(decoding: answer.body.prefix(40), as: UTF8.self))") {
          try await flow.next(StepInput(action: "forgot"))
        }
      }
    }
  }

  @Test("a page with foreign links or too many fields ends the sign-on")
  func hostile() async throws {
    try await Self.run { flow, server in
      for link in ["next", "continue", "self"] {
        for address in [
          "https://evil.example/x", "http://auth.example/x", "https://auth.example:444/x", "/relative", "",
          "https://auth.example@evil.example/x",
        ] {
          var links: JSONObject = ["next": ["href": "https://auth.example/e-1/davinci/connections/c"]]
          links[link] = ["href": .string(address)]
          var json = Self.form.object ?? [:]
          json["_links"] = .object(links)
          await #expect(throws: SignOnFailure.foreignLink, "\(link) \(address)") {
            try await flow.begin(.object(json))
          }
        }
      }
      let field: JSON = ["type": "TEXT", "key": "k"]
      await #expect(throws: SignOnFailure.tooLarge) {
        try await flow.begin(page(fields: Array(repeating: field, count: 10_000)))
      }
      await #expect(throws: SignOnFailure.unsupported("this page of the sign-on needs a browser")) {
        try await flow.begin(page(fields: []))
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("texts are cleaned and truncated, and large values are not passed on")
  func texts() async throws {
    try await Self.run { flow, _ in
      let long = String(repeating: "x\u{202E}", count: 10_000)
      let label: JSON = .string(long)
      let step = try await flow.begin(
        page(
          ["type": "TEXT", "key": "a", "label": label],
          ["type": "LABEL", "content": label],
          ["type": "NOVELTY", "key": "n", "blob": label],
          ["type": "SUBMIT_BUTTON", "key": "go", "label": label]
        )
      )
      let page = try step.page()
      #expect(page.collectors[0].label == String(repeating: "x", count: 200))
      #expect(page.collectors[1].value == .string(String(repeating: "x", count: 400)))
      #expect(page.collectors[2].type == "UnknownCollector" && page.collectors[2].raw == nil)
      #expect(page.actions[0].label.count == 200)
    }
  }

  @Test("an agreement is shown in full with its line breaks")
  func lines() async throws {
    try await Self.run { flow, _ in
      let paragraph = String(repeating: "x", count: 3000)
      let step = try await flow.begin(
        page(
          ["type": "LABEL", "content": "one\r\ntwo\tthree"],
          ["type": "AGREEMENT", "key": "a", "content": .string("one\r\n\u{1B}\(paragraph)\nthree")]
        )
      )
      let page = try step.page()
      #expect(page.collectors[0].value == "one two three")
      #expect(page.collectors[1].value == .string("one\n\(paragraph)\nthree"))
    }
  }

  @Test("a field without a valid key is shown, but cannot be answered or chosen")
  func keyless() async throws {
    try await Self.run { flow, _ in
      let long: JSON = .string(String(repeating: "k", count: 257))
      let keys: [JSON] = ["", 7, .null, [], long]
      for key in keys {
        let types: [JSON] = [
          "TEXT", "SUBMIT_BUTTON", "FLOW_LINK", "POLLING", "FIDO2", "MOBILE_PAIRING", "NOVELTY",
        ]
        let shown = try await flow.begin(page(fields: types.map { ["type": $0, "key": key] })).page()
        #expect(shown.collectors.map(\.type) == Array(repeating: "UnknownCollector", count: types.count))
        #expect(shown.actions.isEmpty && shown.collectors[0].key == "TEXT-0")
        await #expect(throws: RPCError.invalidParameter("values")) {
          try await flow.next(StepInput(values: ["TEXT-0": "x"]))
        }
      }
    }
  }

  @Test("a page that can only be shown in part says so")
  func partial() async throws {
    try await Self.run { flow, _ in
      var json = Self.form.object ?? [:]
      json["isResponseCompatibleWithMobileAndWebSdks"] = false
      let page = try await flow.begin(.object(json)).page()
      #expect(page.message == "some parts of this page need a browser and are not shown")
      #expect(page.collectors.count == 2)
      json["form"] = nil
      await #expect(throws: SignOnFailure.unsupported("this page of the sign-on needs a browser")) {
        try await flow.begin(.object(json))
      }
    }
  }
}
