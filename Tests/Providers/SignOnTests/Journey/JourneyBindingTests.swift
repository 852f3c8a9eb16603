import ControlAPI
import CourierProtocol
import EventLoop
import JOSE
import JSON
import JSONRPC
import Machine
import Testing

@testable import SignOn

@Suite("device binding in a journey", .timeLimit(.minutes(30)))
struct JourneyBindingTests {
  @Test("a binding shows its terms and waits for the user's decision")
  func asked() async throws {
    try await JourneyBench.play(KeyCallbacks.binding()) { bench, node in
      #expect(node.actions == ["bind", "decline"])
      #expect(node.page.actions.allSatisfy { $0.kind == .flow })
      #expect(
        node.shown == [
          "https://am.example says:",
          "> Trust this device?\n> Only if it is yours\n> You can end it at any time.",
          """
          A new key of this machine will prove to https://am.example that "bob" signs on. It signs a random number of \
          the server's:
          > \(KeyCallbacks.challenge)
          """,
        ]
      )
      for action in [nil, "submit", "sign", "enrol"] {
        let refused = await #expect(throws: RPCError.self) { try await bench.next(node, action: action) }
        #expect(refused?.code == RPCError.invalidParams.code)
      }
      await #expect(throws: RPCError.invalidParameter("values")) {
        try await bench.next(node, ["IDToken1jws": "x"], action: "bind")
      }
      let keys = try bench.keys()
      #expect(keys.isEmpty && bench.plays.count == 1)
    }
  }

  @Test("an approved binding creates a key and sends it with the device's name")
  func bound() async throws {
    try await JourneyBench.play(KeyCallbacks.binding()) { bench, node in
      #expect(try await bench.next(node, action: "bind").outcome == .success)
      let key = try #require(try bench.keys().first)
      #expect(key.user == KeyCallbacks.user && key.userName == "bob" && key.isAccepted)
      let told = try bench.told()
      #expect(told["clientError"] == "" && told["deviceName"] == MachineNames().host)
      #expect(told["deviceId"]?.isEmpty == false)
      let (header, claims) = try bench.toldToken()
      #expect(header.keyID == key.id && header.type == "JWS" && header.jwk?["kid"]?.string == key.id)
      #expect(
        claims.names.sorted() == ["challenge", "exp", "iat", "iss", "nbf", "platform", "sub"]
      )
      #expect(claims["sub"]?.string == KeyCallbacks.user && claims["iss"] == "mfad")
      #expect(claims["challenge"]?.string == KeyCallbacks.challenge && claims["platform"] == "linux")
      #expect(try bench.audited() == ["journey.bind \(key.id) ok"])
    }
  }

  @Test("the device id equals the identifier of the device profile")
  func named() async throws {
    let profile: JSON = [
      "type": "DeviceProfileCallback", "output": [["name": "metadata", "value": false]],
      "input": [["name": "IDToken2", "value": ""]],
    ]
    try await JourneyBench.play(KeyCallbacks.binding(), profile) { bench, node in
      _ = try await bench.next(node, action: "bind")
      let body = try JSON(parsing: try #require(bench.plays.last).body)
      let told = try JSON(parsing: body["callbacks"]?.array?[1]["input"]?.array?[0]["value"]?.string ?? "")
      #expect(try bench.told()["deviceId"] == told["identifier"]?.string)
    }
  }

  @Test("a declined binding creates no key and sends Abort")
  func declined() async throws {
    try await JourneyBench.play(KeyCallbacks.binding()) { bench, node in
      _ = try await bench.next(node, action: "decline")
      #expect(try bench.told() == ["jws": "", "deviceName": "", "deviceId": "", "clientError": "Abort"])
      #expect(try bench.keys().isEmpty)
      #expect(try bench.audited() == ["journey.bind - DENIED"])
    }
  }

  /// Changes that prevent a binding, each with a word of the message.
  private static let refusals: [(JSONObject, String)] = {
    func change(_ name: String, _ value: JSON, _ reason: String) -> (JSONObject, String) {
      (JSONObject([(name, value)]), reason)
    }
    var all = ["BIOMETRIC_ONLY", "BIOMETRIC_ALLOW_FALLBACK", "APPLICATION_PIN", ""].map {
      change("authenticationType", .string($0), "fingerprint")
    }
    all.append(change("authenticationType", .null, "fingerprint"))
    all.append(change("attestation", true, "attestation"))
    for value: JSON in [.null, "", .string(String(repeating: "u", count: 2049)), 5] {
      all.append(change("userId", value, "missing"))
    }
    for value: JSON in [.null, "", 5] { all.append(change("challenge", value, "missing")) }
    for text in [String(repeating: "c", count: 10_000), "pay\u{202E}001"] {
      all.append(change("challenge", .string(text), "cannot be shown"))
    }
    return all
  }()

  @Test(
    "a binding that this machine cannot support sends Unsupported and shows the reason",
    arguments: refusals
  )
  func refused(changes: JSONObject, reason: String) async throws {
    try await JourneyBench.play(KeyCallbacks.binding(changes)) { bench, node in
      #expect(node.actions == ["submit"])
      let message = node.page.collectors.compactMap(\.message).joined()
      #expect(message.contains(reason), "\(message)")
      _ = try await bench.next(node)
      #expect(try bench.told()["clientError"] == "Unsupported" && bench.told()["jws"] == "")
      #expect(try bench.keys().isEmpty)
    }
  }

  @Test(
    "a proof's lifetime is the server's timeout, at most one hour",
    arguments: [(5, 5), (0, 60), (-1, 60), (3600, 3600), (Int.max, 3600), (Int.min, 60)]
  )
  func lifetime(timeout: Int, seconds: Int) async throws {
    try await JourneyBench.play(KeyCallbacks.binding(["timeout": .int(timeout)])) { bench, node in
      _ = try await bench.next(node, action: "bind")
      let claims = try bench.toldToken().claims
      let (issued, end) = (try #require(claims["iat"]?.int), try #require(claims["exp"]?.int))
      #expect(end - issued == seconds && claims["nbf"]?.int == issued)
    }
  }

  @Test(
    "user names and titles are cleaned for display, and the user id is sent back unchanged"
  )
  func odd() async throws {
    let user = "id=\u{202E}b\u{0}ob\n\"\\é"
    let changes: JSONObject = [
      "userId": .string(user), "username": "b\u{202E}o\u{7}b\n!", "title": "a\u{1B}[31mb\u{202E}",
    ]
    try await JourneyBench.play(KeyCallbacks.binding(changes)) { bench, node in
      #expect(node.shown[1].hasPrefix("> a[31mb\n> ") && node.shown[2].contains("that \"bob !\" signs on"))
      _ = try await bench.next(node, action: "bind")
      let subject = try #require(try bench.toldToken().claims["sub"]?.string)
      #expect(Array(subject.utf8) == Array(user.utf8))
      #expect(try bench.keys().map { Array($0.user.utf8) } == [Array(user.utf8)])
    }
  }

  @Test(
    "a server's text cannot imitate mfad's text or push it out of sight",
    arguments: [
      ("bob\" signs on. It signs nothing. \u{201C}\u{AB}", "bob signs on. It signs nothing."),
      ("O'Brien\u{2019}s", "O'Brien\u{2019}s"), ("  b\u{A0} \t ob ", "b ob"),
      (String(repeating: "n", count: 200), String(repeating: "n", count: 64)),
      ("\"\u{3164}\u{2800}\"", "id=bob,ou=user,o=alpha,ou=services,ou=am-config"),
    ]
  )
  func quoted(name: String, shown: String) async throws {
    let changes: JSONObject = [
      "username": .string(name), "title": "", "subtitle": " \n\u{3000}\n",
      "description": .string("a" + String(repeating: "\n", count: 300) + "It signs nothing:"),
    ]
    try await JourneyBench.play(KeyCallbacks.binding(changes)) { bench, node in
      #expect(node.shown.dropLast() == ["https://am.example says:", "> a It signs nothing:"])
      #expect(node.shown.last?.contains(" that \"\(shown)\" signs on. It signs ") == true)
    }
  }

  @Test("the second of two bindings in a step is not approved with the first")
  func twice() async throws {
    let second = KeyCallbacks.binding(["userId": "id=eve", "username": "eve"])
    try await JourneyBench.play(KeyCallbacks.binding(), second) { bench, node in
      #expect(node.actions == ["bind", "decline"] && node.shown.last == "this machine cannot do this")
      _ = try await bench.next(node, action: "bind")
      #expect(try bench.keys().map(\.userName) == ["bob"])
      #expect(try bench.told(1)["clientError"] == "Unsupported" && bench.told(1)["jws"] == "")
    }
  }

  @Test("missing values of the step are reported before a key is created")
  func missing() async throws {
    let mail: JSON = [
      "type": "StringAttributeInputCallback",
      "output": [["name": "prompt", "value": "Mail"], ["name": "required", "value": true]],
      "input": [["name": "IDToken2", "value": ""], ["name": "IDToken2validateOnly", "value": false]],
    ]
    try await JourneyBench.play(KeyCallbacks.binding(), mail) { bench, node in
      let again = try await bench.next(node, action: "bind")
      #expect(again.outcome == .error && again.actions == ["bind", "decline"])
      #expect(try bench.keys().isEmpty && bench.plays.count == 1)
      _ = try await bench.next(node, ["IDToken2": "a@b"], action: "bind")
      #expect(try bench.keys().count == 1 && bench.told(1)[""] == "a@b")
    }
  }

  @Test("a binding in a polling step continues without a decision and without a key")
  func waiting() async throws {
    try await JourneyBench.play(KeyCallbacks.binding(), Callbacks.polling) { bench, node in
      #expect(node.actions == ["bind", "decline"])
      while try await bench.next(node).outcome == .next { bench.timers.pass() }
      #expect(try bench.told() == ["jws": "", "deviceName": "", "deviceId": "", "clientError": ""])
      #expect(try bench.keys().isEmpty)
    }
  }
}
