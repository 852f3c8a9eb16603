import EventLoop
import Glibc
import JSON
import Testing
import Time

@Suite("data file: all settings", .timeLimit(.minutes(30)))
struct RestartTests {
  /// The responses to compare before and after the restart.
  @EventLoop
  private func asked(_ bench: Bench) async throws -> [String: JSON] {
    var answers: [String: JSON] = [:]
    for path in [
      "users", "users/\(try bench.user("ann").id)/devices?expand=order",
      "users/\(try bench.user("bob").id)/devices",
    ] {
      let answer = try await bench.send("GET", "/v1/environments/ENV/\(path)")
      #expect(answer.status == 200, "\(path)")
      answers[path] = Self.withoutPort(answer.body)
    }
    for path in ["settings", "logs", "oidc", "am", "signOnPolicies", "users/\(try bench.user("ann").id)"] {
      answers[path] = try await bench.send("GET", "/sandbox/\(path)").body
    }
    return answers
  }

  /// Removes links, because the second sandbox has another port.
  private static func withoutPort(_ value: JSON) -> JSON {
    guard let object = value.object else {
      return value.array.map { .array($0.map { withoutPort($0) }) } ?? value
    }
    let members = object.members.filter { $0.name != "_links" && $0.name != "href" }
    return .object(JSONObject(members.map { ($0.name, withoutPort($0.value)) }))
  }

  @EventLoop
  private func set(_ bench: Bench, _ kept: Kept) async throws {
    let device = try await bench.pairedDevice("ann", "bob")
    let second = try await bench.pairedDevice("ann")
    try await bench.setMobile([
      "uriPrefix": "x", "passcodeGracePeriod": 9,
      "integrityDetection": ["mode": "ENABLED", "cacheDuration": ["amount": 2, "units": "HOURS"]],
      "push": ["numberMatching": ["type": "SELECT_NUMBER"]],
    ])
    _ = try await bench.patch(["integrity": ["minimumOSVersionRequire": ["linux": "12"]]])
    try await bench.setPolicy(["name": "Other", "ignoreUserLock": true, "totp": ["enabled": true]])
    try await bench.grant(["p1:read:device"])
    try await bench.setAM(["version": "8.0.2", "messageDuration": 7])
    _ = try await bench.send("POST", try bench.devicesPath(of: "bob"), ["type": "TOTP"])
    try await bench.setRules([
      "pushLimit": ["count": 2], "integrityDetection": "restrictive",
      "push": ["numberMatching": ["enabled": true]],
      "deviceAuthorization": ["enabled": true, "extraVerification": "permissive"],
    ])
    try await bench.setMFASettings([
      "pairing": ["maxAllowedDevices": 7, "pairingKeyFormat": "ALPHANUMERIC"],
      "lockout": ["failureCount": 9, "durationSeconds": 60],
    ])
    let path = try bench.devicesPath(of: "ann")
    _ = try await bench.send(
      "POST",
      path,
      ["order": [["id": .string(second.pairings[0].id)]]],
      type: "application/vnd.pingidentity.devices.reorder+json"
    )
    _ = try await bench.send(
      "POST",
      "\(try bench.devicesPath(of: "bob"))/\(device.pairings[1].id)",
      type: "application/vnd.pingidentity.device.block+json"
    )
    _ = try await device.call("POST", "/logs", ["text": "line"])
    var selected: JSONObject = ["selectedDevice": ["id": .string(device.pairings[0].id)]]
    for _ in 0..<3 { _ = try await bench.startAuthentication(of: "ann", selected) }
    let pushes = try await device.poll().pushes
    for push in pushes.prefix(2) {
      _ = try await device.answer(push, "deny", posture: ["os": ["version": "11"], "secureBoot": "enabled"])
    }
    selected["selectedDevice"] = ["id": .string(second.pairings[0].id)]
    kept.started = try await bench.startAuthentication(of: "ann", selected)
    kept.push = try await second.poll().pushes.last
    (kept.device, kept.second) = (device, second)
    _ = try await bench.send("PUT", "/sandbox/transport", ["refusal": "Unregistered"])
    try await setSignOn(bench, kept)
  }

  @EventLoop
  private func setSignOn(_ bench: Bench, _ kept: Kept) async throws {
    let first = try await SignOnClient(bench).tokens(for: "ann")
    _ = try await bench.send("POST", "/sandbox/oidc/keys", ["keepOld": true])
    kept.usedRefreshToken = try first.text("refresh_token")
    kept.tokens = try await SignOnClient(bench).refresh(kept.usedRefreshToken)
    kept.idToken = try first.text("id_token")
    try await bench.setOIDC(["accessTokenSeconds": 77, "refreshTokenRotation": true])
    try await bench.setUser("ann", ["passwordStatus": "PASSWORD_EXPIRED", "verified": false])
    let standard: JSON = ["steps": ["EXTERNAL"], "default": true]
    _ = try await bench.send("PUT", "/sandbox/signOnPolicies/Mine", standard)
    _ = try await bench.patch(["application": ["redirectUris": ["http://127.0.0.1/callback"]]])
  }

  /// Checks that valid tokens stay valid and used ones invalid.
  @EventLoop
  private func checkTokens(_ bench: Bench, _ kept: Kept) async throws {
    let (client, tokens) = (try SignOnClient(bench), try #require(kept.tokens))
    let info = try await client.userInfo(try tokens.text("access_token"))
    #expect(info.body["preferred_username"] == "ann")
    let next = try await client.refresh(try tokens.text("refresh_token"))
    #expect(next.status == 200)
    let used = try await client.refresh(kept.usedRefreshToken)
    #expect(used.body["error"] == "invalid_grant")
    let ended = try await client.refresh(try next.text("refresh_token"))
    #expect(ended.body["error"] == "invalid_grant")
    // The key that signed the token is still listed, though another one signs now.
    let off = try await client.send("GET", "/idp/signoff?id_token_hint=\(kept.idToken)")
    #expect(off.status == 204)
  }

  @Test("settings, counters and locks survive a restart")
  func restart() async throws {
    var template = Array("/tmp/sandbox-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
    #expect(mkdtemp(&template) != nil)
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["data", "data-wal", "data-shm"] { unlink("\(directory)/\(name)") }
      rmdir(directory)
    }
    let kept = Kept()
    // Requests must not expire on a slow machine.
    let begun = TimeSource.system.now()
    let time = TimeSource(now: { begun }, uptime: TimeSource.system.uptime)
    try await Bench.run(data: "\(directory)/data", time: time) { bench in
      try await set(bench, kept)
      kept.answers = try await asked(bench)
      kept.info = try await (try #require(kept.device)).call("GET", "/info").body
      #expect(kept.info?["users"]?.array?[0]["device"]?["lock"]?["policy"] == "PUSH_LIMIT")
      #expect(kept.info?["users"]?.array?[0]["deviceRequirementsEvaluation"]?["status"] == "Failed")
      #expect(kept.info?["users"]?.array?[1]["device"]?["lock"]?["policy"] == "DEVICE_BLOCKED")
    }
    try await Bench.run(data: "\(directory)/data", time: time) { bench in
      let answers = try await asked(bench)
      for (path, answer) in kept.answers { #expect(answers[path] == answer, "\(path)") }
      var device = try #require(kept.device)
      device.bench = bench
      let info = try await device.call("GET", "/info")
      #expect(info.body == kept.info)
      var second = try #require(kept.second)
      second.bench = bench
      let started = try #require(kept.started)
      let number = try #require(started.body["numberMatching"]?["number"])
      let push = try #require(kept.push)
      let sound: JSON = ["os": ["version": "12"]]
      let approved = try await second.answer(push, "approve", ["number": number], posture: sound)
      #expect(approved.body["status"] == "approved")
      let refused = try await bench.startAuthentication(of: "ann")
      #expect(refused.body["status"] == "OTP_REQUIRED")
      try await checkTokens(bench, kept)
    }
  }
}

/// Values that a test keeps from the first sandbox.
@EventLoop
private final class Kept: Sendable {
  nonisolated init() {}

  var answers: [String: JSON] = [:]
  var info: JSON?
  var device: TestDevice?
  var second: TestDevice?
  var started: Answer?
  var push: JSONObject?
  var tokens: Answer?
  var usedRefreshToken = ""
  var idToken = ""
}
