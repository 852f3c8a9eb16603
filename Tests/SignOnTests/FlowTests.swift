import ControlAPI
import EventLoop
import JSON
import JSONRPC
import TestLoop
import Testing
import WebAddress

@testable import SignOn

private let signOn: JSON = [
  "status": "USERNAME_PASSWORD_REQUIRED", "resumeUrl": "https://auth.example/e-1/as/resume",
  "_links": [
    "self": ["href": "https://auth.example/e-1/flows/f"],
    "usernamePassword.check": ["href": "https://auth.example/e-1/flows/f"],
    "password.forgot": ["href": "https://auth.example/e-1/flows/f/forgot"],
  ],
]

private func read(_ json: JSON) throws -> Flow? {
  Flow(json, origin: try #require(WebURL("https://auth.example/")).origin)
}

@Suite("Steps of a sign-on as the issuer describes them")
struct FlowTests {
  @Test("a step's status, links and way on are read")
  func parts() throws {
    let flow = try #require(try read(signOn))
    #expect(flow.status == "USERNAME_PASSWORD_REQUIRED")
    #expect(flow.resume?.text == "https://auth.example/e-1/as/resume")
    #expect(flow.links["usernamePassword.check"]?.text == "https://auth.example/e-1/flows/f")
    #expect(try read(["status": "COMPLETED"])?.resume == nil)
  }

  @Test("what is no step, or points to another origin, is refused")
  func refused() throws {
    let elsewhere: JSON = "https://evil.example/x"
    let documents: [JSON] = [
      [], [:], ["status": 1], ["status": .string(String(repeating: "X", count: 65))],
      ["status": "X", "resumeUrl": elsewhere], ["status": "X", "resumeUrl": "/relative"],
      ["status": "X", "_links": ["a": ["href": elsewhere]]],
      ["status": "X", "_links": ["a": ["href": "http://auth.example/x"]]],
    ]
    for document in documents { #expect(try read(document) == nil, "\(document.text)") }
    #expect(try read(["status": "X", "_links": ["a": "x", "b": ["href": 1]]])?.links.isEmpty == true)
  }
}

@Suite("What a step asks of a person")
struct SignOnPolicyTests {
  private static func node(_ json: JSON, message: String? = nil) async throws -> Node? {
    try await TestLoop.run {
      let flow = try #require(try read(json))
      let login = try Login(
        id: "l1",
        owner: 1000,
        issuer: try #require(
          Discovery(["issuer": "https://auth.example/e-1/as"], issuer: "https://auth.example/e-1/as")
        ),
        origin: try #require(WebURL("https://auth.example/")).origin,
        proofKey: ProofKey(),
        acceptLanguage: nil
      )
      return SignOnPolicy.node(for: flow, of: login, message: message)
    }
  }

  @Test("a step for name and password asks for both and offers what else there is")
  func asked() async throws {
    let node = try #require(try await Self.node(signOn))
    #expect(node.outcome == .next && node.login == "l1" && node.title == "Sign On")
    #expect(node.collectors.map(\.key) == ["username", "password"])
    #expect(node.collectors.map(\.isSecret) == [false, true])
    #expect(node.actions.map(\.key) == ["usernamePassword.check", "password.forgot"])
    #expect(node.actions.map(\.kind) == [.submit, .link])
    let again = try #require(try await Self.node(signOn, message: "wrong"))
    #expect(again.outcome == .error && again.message == "wrong" && again.collectors.count == 2)
  }

  @Test("a step of a kind that is not known, or without its link, cannot be answered here")
  func unknown() async throws {
    let link: JSON = ["usernamePassword.check": ["href": "https://auth.example/x"]]
    for json in [["status": "OTP_REQUIRED", "_links": link], ["status": "USERNAME_PASSWORD_REQUIRED"]]
      as [JSON]
    {
      #expect(try await Self.node(json) == nil)
    }
  }

  @Test("an answer becomes the body and the media type of its action")
  func request() throws {
    let flow = try #require(try read(signOn))
    let values = ["username": "ann", "password": "p\"w"]
    for action in [nil, "usernamePassword.check"] {
      let request = try SignOnPolicy.request(for: flow, values: values, action: action)
      #expect(request.url.text == "https://auth.example/e-1/flows/f")
      #expect(request.mediaType == "application/vnd.pingidentity.usernamePassword.check+json")
      #expect(try JSON(parsing: request.body) == ["username": "ann", "password": "p\"w"])
    }
  }

  @Test("an answer with too little, too much or another action is refused and not sent")
  func refused() throws {
    let flow = try #require(try read(signOn))
    let values = ["username": "ann", "password": "pw"]
    for values in [
      [:], ["username": "ann"], ["username": "ann", "password": ""], values.merging(["x": "y"]) { $1 },
    ] {
      #expect(throws: RPCError.invalidParameter("values"), "\(values)") {
        try SignOnPolicy.request(for: flow, values: values, action: nil)
      }
    }
    #expect(throws: RPCError.invalidParameter("action")) {
      try SignOnPolicy.request(for: flow, values: values, action: "password.forgot")
    }
    let over = try #require(try read(["status": "COMPLETED"]))
    #expect(throws: RPCError.conflict) { try SignOnPolicy.request(for: over, values: values, action: nil) }
  }

  @Test("wrong input is told in our words, or in the issuer's made fit to be shown")
  func wrongInput() {
    let ours: JSON = ["details": [["target": "password", "message": "x"]]]
    #expect(SignOnPolicy.wrongInput(ours) == "the username or password is not right")
    let theirs: JSON = ["message": "y", "details": [["target": "otp", "message": "a\u{202E}b\u{7}"]]]
    #expect(SignOnPolicy.wrongInput(theirs) == "ab")
    #expect(SignOnPolicy.wrongInput(["message": "y", "details": [[:]]]) == "y")
    for json in [[:], ["message": "y"], ["details": []], "x"] as [JSON] {
      #expect(SignOnPolicy.wrongInput(json) == nil, "\(json.text)")
    }
  }
}
