import ControlAPI
import CourierProtocol
import EventLoop
import Glibc
import JOSE
import JSON
import Testing
import Vault

@testable import SignOn

/// The two callbacks that require a key of this machine, with `changes` to their outputs.
enum KeyCallbacks {
  static let challenge = "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="
  static let user = "id=bob,ou=user,o=alpha,ou=services,ou=am-config"

  static func binding(_ changes: JSONObject = [:]) -> JSON {
    make(
      "DeviceBindingCallback",
      [
        "userId": .string(user), "username": "bob", "authenticationType": "NONE",
        "challenge": .string(challenge), "title": "Trust this device?", "subtitle": "Only if it is yours",
        "description": "You can end it at any time.", "timeout": 60, "attestation": false,
      ],
      changes,
      ["jws", "deviceName", "deviceId", "clientError"]
    )
  }

  static func signing(_ changes: JSONObject = [:]) -> JSON {
    make(
      "DeviceSigningVerifierCallback",
      [
        "userId": .string(user), "challenge": .string(challenge), "title": "Is it you?", "subtitle": "",
        "description": "", "timeout": 60,
      ],
      changes,
      ["jws", "clientError"]
    )
  }

  private static func make(
    _ type: String,
    _ outputs: JSONObject,
    _ changes: JSONObject,
    _ inputs: [String]
  ) -> JSON {
    var outputs = outputs
    for member in changes.members { outputs[member.name] = member.value.isNull ? nil : member.value }
    return [
      "type": .string(type),
      "output": .array(outputs.members.map { ["name": .string($0.name), "value": $0.value] }),
      "input": .array(inputs.map { ["name": .string("IDToken1\($0)"), "value": ""] }),
    ]
  }
}

extension JourneyBench {
  /// Runs a journey with these callbacks in its first step.
  nonisolated static func play(
    _ callbacks: JSON...,
    then lines: [CourierResponse] = [.session],
    _ body: @escaping @EventLoop @Sendable (JourneyBench, Node) async throws -> Void
  ) async throws {
    let step = CourierResponse.json(200, ["authId": "a", "callbacks": .array(callbacks)])
    try await run([step] + lines) { bench in try await body(bench, try await bench.start()) }
  }

  /// Values of a callback in the last request, by the suffix of the input's name.
  func told(_ callback: Int = 0) throws -> [String: String] {
    let body = try JSON(parsing: try #require(plays.last).body)
    let inputs = try #require(body["callbacks"]?.array)[callback]["input"]?.array ?? []
    return Dictionary(
      inputs.map {
        ($0["name"]?.string.map { String($0.dropFirst("IDToken1".count)) } ?? "", $0["value"]?.string ?? "?")
      }
    ) { $1 }
  }

  /// Returns the last token sent.
  ///
  /// Verifies it with `key`, or with the key in its header.
  func toldToken(verifiedBy key: JSON? = nil) throws -> (header: JOSEHeader, claims: JSONObject) {
    let token = try CompactJWS(parsing: try #require(try told()["jws"]))
    let key = try JWK(try #require(key ?? token.header.jwk))
    return (token.header, try token.verified(with: key, allowing: [.es256]).claims())
  }

  /// Keys of an owner in the bench's realm.
  func keys(of owner: uid_t = JourneyBench.owner) throws -> [BoundKey] {
    try parts.boundKeys.keys(at: Self.authenticate, of: owner)
  }

  @discardableResult
  func makeKey(
    _ user: String = KeyCallbacks.user,
    named name: String = "bob",
    at server: String = JourneyBench.authenticate,
    owner: uid_t = JourneyBench.owner
  ) throws -> BoundKey {
    try parts.boundKeys.make(for: user, named: name, at: server, owner: owner)
  }

  /// Audit entries, the oldest first.
  func audited() throws -> [String] {
    try parts.core.audit.entries(of: Self.owner, page: AuditList(parsing: nil).page).reversed().map {
      "\($0.method) \($0.target ?? "-") \($0.outcome)"
    }
  }
}

extension CourierResponse {
  /// The failed end of a journey.
  static let refusal = json(401, ["code": 401, "reason": "Unauthorized", "message": "Login failure"])
}

extension Node {
  var actions: [String] { page.actions.map(\.key) }

  /// All labels, values and messages of the page's fields.
  var shown: [String] {
    page.collectors.flatMap { [$0.label, $0.value?.string, $0.message].compactMap { $0 } }
  }
}
