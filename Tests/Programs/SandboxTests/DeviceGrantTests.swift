import EventLoop
import JSON
import Testing

/// A device without a browser that requests tokens.
@EventLoop
private struct Grant {
  let client: SignOnClient
  let started: Answer

  init(_ bench: Bench, scope: String = "openid profile") async throws {
    client = try SignOnClient(bench)
    started = try await client.form(
      "/as/device_authorization",
      ["client_id": bench.clientID, "scope": scope]
    )
    #expect(started.status == 200)
  }

  func poll() async throws -> Answer {
    try await client.form(
      "/as/token",
      [
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": client.bench.clientID,
        "device_code": try started.text("device_code"),
      ]
    )
  }

  func answer(_ decision: String, password: String? = nil) async throws -> Answer {
    try await client.form(
      "/device",
      [
        "user_code": try started.text("user_code").lowercased(), "username": "ann",
        "password": try password ?? client.bench.user("ann").password, "decision": decision,
      ]
    )
  }
}

@Suite("device grant", .timeLimit(.minutes(30)))
struct DeviceGrantTests {
  @Test("a device gets tokens after the user's approval on another device")
  func approval() async throws {
    try await Bench.run { bench in
      try await bench.setOIDC(["deviceInterval": 1])
      let grant = try await Grant(bench, scope: "openid profile offline_access")
      #expect(grant.started.body["interval"] == 1)
      #expect(grant.started.body["expires_in"] == 600)
      let waiting = try await grant.poll()
      #expect(waiting.status == 400)
      #expect(waiting.body["error"] == "authorization_pending")
      let ask = try await grant.client.send("GET", "/device")
      #expect(ask.text.contains(#"name="user_code""#))
      let complete = try grant.started.text("verification_uri_complete")
      let path = complete.dropFirst("\(bench.url)/\(bench.environment)".count)
      let page = try await grant.client.send("GET", String(path))
      #expect(page.text.contains(#"name="password""#))
      let wrong = try await grant.answer("approve", password: "wrong")
      #expect(wrong.text.contains("wrong"))
      let odd = try await grant.answer("perhaps")
      #expect(odd.status == 400)
      let approved = try await grant.answer("approve")
      #expect(approved.text.contains("Approved"))
      let twice = try await grant.answer("approve")
      #expect(twice.text.contains("not known"))
      try await bench.advance(seconds: 1)
      let tokens = try await grant.poll()
      #expect(tokens.status == 200)
      #expect(tokens.body["refresh_token"] != nil)
      let info = try await grant.client.userInfo(try tokens.text("access_token"))
      #expect(info.body["preferred_username"] == "ann")
      let again = try await grant.poll()
      #expect(again.body["error"] == "invalid_grant")
    }
  }

  @Test("polling too fast increases the interval")
  func slowDown() async throws {
    try await Bench.run { bench in
      try await bench.setOIDC(["deviceInterval": 60])
      let grant = try await Grant(bench)
      _ = try await grant.poll()
      try await bench.advance(seconds: 30)
      let fast = try await grant.poll()
      #expect(fast.body["error"] == "slow_down")
      try await bench.advance(seconds: 40)
      let stillFast = try await grant.poll()
      #expect(stillFast.body["error"] == "slow_down")
      try await bench.advance(seconds: 70)
      let waiting = try await grant.poll()
      #expect(waiting.body["error"] == "authorization_pending")
    }
  }

  @Test("denial and expiry are reported")
  func ends() async throws {
    try await Bench.run { bench in
      let denied = try await Grant(bench)
      let page = try await denied.answer("deny")
      #expect(page.text.contains("Denied"))
      let refused = try await denied.poll()
      #expect(refused.body["error"] == "access_denied")
      try await bench.setOIDC(["deviceCodeSeconds": 60])
      let late = try await Grant(bench)
      try await bench.advance(seconds: 60)
      let over = try await late.poll()
      #expect(over.body["error"] == "expired_token")
      let unknown = try await late.answer("approve")
      #expect(unknown.text.contains("not known"))
    }
  }

  @Test("an unknown client or scope is rejected")
  func refusals() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let stranger = try await client.form("/as/device_authorization", ["client_id": "x", "scope": "openid"])
      #expect(stranger.status == 401)
      let scope = try await client.form(
        "/as/device_authorization",
        ["client_id": bench.clientID, "scope": "admin"]
      )
      #expect(scope.body["error"] == "invalid_scope")
      let unknown = try await client.form(
        "/as/token",
        ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": bench.clientID]
      )
      #expect(unknown.body["error"] == "invalid_grant")
    }
  }
}
