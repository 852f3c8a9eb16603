import Configuration
import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestCourier
import TestLoop
import Testing
import Vault
import WebAddress

@testable import SignOn

/// Fields with actions beyond submitting values.
@Suite("actions of DaVinci fields", .timeLimit(.minutes(30)))
struct DaVinciActionTests {
  private static func run(
    configuration: String = "",
    _ body: @escaping @EventLoop @Sendable (DaVinciFlow, PlayedServer) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let server = try PlayedServer()
      defer { server.stop() }
      server.answers = Array(repeating: .init(end), count: 10)
      try await body(DaVinciFlow(try server.login(configuration: configuration)), server)
    }
  }

  private static let end = page(["type": "SUBMIT_BUTTON", "key": "done"])
  private static let fido: JSON = ["type": "FIDO2", "key": "fido", "action": "AUTHENTICATE"]
  private static let pairing: JSON = [
    "type": "MOBILE_PAIRING", "key": "mobilePairing", "pairingKey": "01ABCDEFGHJKMN",
  ]
  private static let google: JSON = [
    "type": "SOCIAL_LOGIN_BUTTON", "key": "google", "label": "Google",
    "links": ["authenticate": ["href": "https://auth.example/google?a=b"]],
  ]

  private static let noKey: JSON = [
    "eventType": "action", "data": ["actionKey": "NotSupportedError"],
  ]

  @Test("a FIDO2 action is answered with the error that no security key is available")
  func securityKey() async throws {
    try await Self.run { flow, server in
      try await flow.begin(page(Self.fido, ["type": "TEXT", "key": "code"]))
      _ = try await flow.next(StepInput(action: "fido"))
      #expect(server.bodies[0]["parameters"] == Self.noKey)
      // A FIDO2 field that is alone is answered automatically.
      try await flow.begin(page(["type": "LABEL", "content": "Touch it"], Self.fido))
      _ = try await flow.next(StepInput())
      #expect(server.bodies[1]["parameters"] == Self.noKey)
    }
  }

  @Test("a FIDO2 field is not answered automatically if another option exists")
  func otherWay() async throws {
    try await Self.run { flow, server in
      let button: JSON = ["type": "FIDO2", "key": "fido", "trigger": "BUTTON"]
      for fields in [
        [Self.fido, ["type": "SUBMIT_BUTTON", "key": "go"]], [button], [Self.fido, Self.google],
      ] {
        try await flow.begin(page(fields: fields))
        _ = try await flow.next(StepInput())
        #expect(server.bodies.last?["parameters"]?["eventType"] == "submit")
        #expect(server.bodies.last?["parameters"]?["data"]?["formData"] == [:])
      }
    }
  }

  @Test("a pairing's result is sent as the error number of the native SDK")
  func pairing() async throws {
    try await Self.run(configuration: "platform = https://auth.example\ngeo = Europe") { flow, server in
      let shown = try await flow.begin(page(Self.pairing)).page()
      #expect(shown.collectors.map(\.type) == ["MobilePairingCollector"])
      #expect(shown.collectors.allSatisfy { $0.raw == nil && $0.value == nil }, "the key is a secret")
      #expect(shown.actions.map(\.key) == ["mobilePairing", "mobilePairing.cancel"])
      #expect(shown.actions.map(\.label) == ["Pair this machine", "Not now"])
      _ = try await flow.next(StepInput(action: "mobilePairing"))
      let parameters = server.bodies[0]["parameters"]
      #expect(parameters?["eventType"] == "action" && parameters?["data"]?["actionKey"] == nil)
      let error = parameters?["data"]?["formData"]?["mobilePairing"]?["error"]
      #expect(error?["code"] == "10004" && error?["message"]?.string?.isEmpty == false)
      let audit = try flow.login.parts.core.audit.entries(
        of: PlayedServer.owner,
        page: AuditList(parsing: [:]).page
      )
      #expect(audit.map(\.method) == ["pairing.pair"])
      #expect(audit.map(\.outcome) == [RPCError.noConnectivity.reason])
      try await flow.begin(page(Self.pairing))
      _ = try await flow.next(StepInput(action: "mobilePairing.cancel"))
      let declined = server.bodies[1]["parameters"]?["data"]?["formData"]?["mobilePairing"]
      #expect(declined?["error"]?["code"] == "USER_CANCELLED")
    }
  }

  @Test("a pairing without a field key is hidden together with its pairing key")
  func keylessPairing() async throws {
    try await Self.run { flow, _ in
      let pairing: JSON = ["type": "MOBILE_PAIRING", "pairingKey": "01ABCDEFGHJKMN"]
      let shown = try await flow.begin(page(pairing, ["type": "NOVELTY"])).page()
      #expect(shown.collectors.map(\.type) == ["UnknownCollector", "UnknownCollector"])
      #expect(shown.actions.isEmpty)
      #expect(shown.collectors.map { $0.raw == nil } == [true, false])
    }
  }

  @Test("a page with ambiguous pairing actions is rejected")
  func ambiguousPairing() async throws {
    try await Self.run { flow, _ in
      let other: JSON = ["type": "MOBILE_PAIRING", "key": "mobilePairing.cancel", "pairingKey": "01X"]
      for second in [["type": "SUBMIT_BUTTON", "key": "mobilePairing"], Self.pairing, other] as [JSON] {
        for fields in [[Self.pairing, second], [second, Self.pairing]] {
          await #expect(throws: SignOnFailure.malformed) { try await flow.begin(page(fields: fields)) }
        }
      }
      _ = try await flow.begin(page(Self.pairing, ["type": "SUBMIT_BUTTON", "key": "go"])).page()
    }
  }

  @Test("known pairing errors have the native SDK's code, and others INTERNAL_ERROR")
  func pairingErrors() {
    struct Unforeseen: Error {}
    func code(_ error: any Error) -> JSON? { PairingReply.reply(to: error)["error"]?["code"] }
    #expect(code(RPCError.pairingKey) == "10005")
    #expect(code(RPCError.deviceRequirements) == "10024")
    #expect(code(RPCError.quota) == "INTERNAL_ERROR")
    #expect(code(RPCError.invalidParams) == "INTERNAL_ERROR")
    #expect(code(Unforeseen()) == "INTERNAL_ERROR")
  }

  @Test("an identity provider's URL is shown when chosen, or if there is no other option")
  func provider() async throws {
    try await Self.run { flow, server in
      let address = "https://auth.example/google?a=b"
      #expect(try await flow.begin(page(Self.google)).page().browserURL == address)
      let step = try await flow.begin(page(["type": "TEXT", "key": "k"], Self.google)).page()
      #expect(step.browserURL == nil)
      #expect(step.collectors.map(\.type) == ["TextCollector", "IdpCollector"])
      #expect(step.collectors[1].value == .string(address))
      #expect(try await flow.next(StepInput(action: "google")).page().browserURL == address)
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    "an unsafe browser URL is not shown",
    arguments: [
      "http://auth.example/x", "http://127.0.0.1/x", "javascript:alert(1)", "file:///etc/passwd", "/relative",
      "",
    ]
  )
  func unsafe(address: String) async throws {
    let field: JSON = [
      "type": "SOCIAL_LOGIN_BUTTON", "key": "k", "links": ["authenticate": ["href": .string(address)]],
    ]
    try await Self.run { flow, _ in
      let page = try await flow.begin(page(field)).page()
      #expect(page.browserURL == nil && page.actions.isEmpty && page.collectors[0].value == nil)
    }
    try await Self.run(configuration: "allow_loopback_http = yes") { flow, _ in
      let page = try await flow.begin(page(field)).page()
      #expect((page.browserURL != nil) == (address == "http://127.0.0.1/x"))
    }
  }

  @Test("the browser's final URL resumes the flow with its continueToken")
  func resume() async throws {
    try await Self.run { flow, server in
      var json = page(Self.google).object ?? [:]
      let next = "https://auth.example/e-1/davinci/connections/c"
      json["_links"] = ["next": ["href": .string(next)], "continue": ["href": .string(next + "/callback")]]
      try await flow.begin(.object(json))
      for address in [
        "", "x", "app://back", "app://back?continueToken=", "app://back?continueToken=a%0Ab", "a?b?c",
        "app://back?continueToken=a&continueToken=b", "app://back#continueToken=a",
      ] {
        await #expect(throws: RPCError.invalidParameter("uri"), "\(address)") {
          try await flow.resume(address)
        }
      }
      _ = try await flow.resume("app://back?x=1&continueToken=abc.def#there").page()
      #expect(server.requests.map(\.url.text) == [next + "/callback"])
      #expect(server.requests[0].header("Authorization") == "Bearer abc.def")
      #expect(server.bodies == [[:]])
      try await flow.begin(page(Self.google))
      await #expect(throws: RPCError.conflict) { try await flow.resume("app://back?continueToken=a") }
    }
  }

  @Test("answered metadata is sent as its own action")
  func metadata() async throws {
    try await Self.run { flow, server in
      try await flow.begin(page(["type": "METADATA", "key": "meta", "payload": ["a": 1]]))
      _ = try await flow.next(StepInput(values: ["meta": ["b": 2]]))
      #expect(
        server.bodies[0]["parameters"]
          == ["eventType": "action", "data": ["actionKey": "meta", "formData": ["meta": ["b": 2]]]]
      )
    }
  }
}
