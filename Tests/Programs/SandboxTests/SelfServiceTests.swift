import EventLoop
import JSON
import Testing

@Suite("self-service devices", .timeLimit(.minutes(30)))
struct SelfServiceTests {
  @Test("a user creates and activates an authenticator app, and its secret is returned once")
  func life() async throws {
    try await Bench.run(selfService: true) { bench in
      let ann = try await SelfServiceClient(bench)
      let created = try await ann.create(["nickname": "desk"])
      #expect(created.status == 201)
      #expect(created.body["type"] == "TOTP" && created.body["status"] == "ACTIVATION_REQUIRED")
      let secret = try created.text("secret")
      #expect(secret.count == 32)
      #expect(created.body["keyUri"]?.string == "otpauth://totp/ann?secret=\(secret)")
      let address = created.body["_links"]?["self"]?["href"]
      #expect(address != nil && created.body["_links"]?["device.activate"]?["href"] == address)
      let authenticator = try #require(Authenticator(base32: secret))
      #expect(authenticator.secret.count == 20)
      let wrong = try await ann.activate(created, try authenticator.wrongPasscode())
      #expect(wrong.status == 400 && wrong.code == "INVALID_DATA" && wrong.detail == "INVALID_OTP")
      #expect(wrong.body["details"]?.array?.first?["target"] == "otp")
      let passcode = try authenticator.passcode(ofWindow: authenticator.currentWindow)
      let active = try await ann.activate(created, passcode)
      #expect(active.status == 200 && active.body["status"] == "ACTIVE")
      #expect(active.body["_links"]?["device.activate"] == nil)
      let again = try await ann.activate(created, passcode)
      #expect(again.status == 400)
      let one = "/\(try created.text("id"))"
      let renamed = try await ann.send("PUT", "\(one)/nickname", ["nickname": "laptop"])
      #expect(renamed.body["nickname"] == "laptop")
      let long = try await ann.send(
        "PUT",
        "\(one)/nickname",
        ["nickname": .string(String(repeating: "ä", count: 101))]
      )
      #expect(long.status == 400)
      let list = try await ann.send("GET", "?filter=type%20eq%20%22TOTP%22")
      let devices = try #require(list.body["_embedded"]?["devices"]?.array)
      #expect(devices.map { $0["nickname"] } == ["laptop"])
      let read = try await ann.send("GET", one)
      for device in [active.body, read.body, devices[0]] {
        #expect(device["secret"] == nil && device["keyUri"] == nil)
      }
      let second = try await ann.create()
      #expect(second.status == 409 && second.code == "UNIQUENESS_VIOLATION")
      let deleted = try await ann.send("DELETE", one)
      #expect(deleted.status == 204)
      let gone = try await ann.send("GET", one)
      #expect(gone.status == 404)
    }
  }

  @Test("a token gives access to its own user's devices with the granted scopes")
  func rights() async throws {
    try await Bench.run { bench in
      try await bench.setPolicy(["totp": ["enabled": true]])
      let none = try await SelfServiceClient(bench)
      #expect(none.scope == ["openid"])
      let bare = try await none.create()
      #expect(bare.status == 403 && bare.code == "ACCESS_FAILED")
      try await bench.grant(["p1:create:device", "p1:read:device"])
      let ann = try await SelfServiceClient(bench)
      #expect(ann.scope == ["openid", "p1:create:device", "p1:read:device"])
      let created = try await ann.create()
      #expect(created.status == 201)
      let listed = try await ann.send("GET")
      #expect(listed.body["count"] == 1)
      let one = "/\(try created.text("id"))"
      for (method, path, action) in [
        ("DELETE", one, nil), ("PUT", "\(one)/nickname", nil), ("POST", "", "devices.reorder"),
        ("DELETE", "", nil), ("POST", one, "device.block"), ("PUT", "\(one)/logs", nil),
      ] {
        let refused = try await ann.send(method, path, [:], action: action)
        #expect(refused.status == 403, "\(method) \(path)")
      }
      let stranger = try await bench.send("GET", try bench.devicesPath(of: "bob"), token: ann.token)
      #expect(stranger.status == 403)
      let users = try await bench.send("GET", "/v1/environments/ENV/users", token: ann.token)
      #expect(users.status == 403)
      let unknown = try await bench.send("GET", try bench.devicesPath(of: "ann"), token: "x")
      #expect(unknown.status == 401 && unknown.header("www-authenticate") == "Bearer")
      try await bench.advance(seconds: 3601)
      let late = try await ann.send("GET")
      #expect(late.status == 401)
      try await bench.setOIDC(["refuseUngrantedScopes": true])
      var client = try SignOnClient(bench)
      client.parameters["scope"] = "openid p1:delete:device"
      let refused = try await client.authorize()
      #expect(refused.body["error"] == "invalid_scope")
    }
  }

  @Test("revoked scopes are no longer issued")
  func grants() async throws {
    try await Bench.run { bench in
      try await bench.grant(["p1:read:device"])
      let granted = try await SelfServiceClient(bench)
      #expect(granted.scope.contains("p1:read:device"))
      try await bench.grant([])
      let ann = try await SelfServiceClient(bench)
      #expect(ann.scope == ["openid"])
    }
  }

  @Test("a device that policy or settings forbid is not created")
  func limits() async throws {
    try await Bench.run(selfService: true) { bench in
      let ann = try await SelfServiceClient(bench)
      try await bench.setPolicy(["totp": ["enabled": false]])
      let off = try await ann.create()
      #expect(off.status == 400 && off.detail == "INVALID_VALUE")
      try await bench.setPolicy(["totp": ["enabled": true, "pairingDisabled": true]])
      let disabled = try await ann.create()
      #expect(disabled.status == 400 && disabled.detail == "INVALID_VALUE")
      let parameters: JSON = ["issuer": "Acme & Co", "digits": "6"]
      try await bench.setPolicy(["totp": ["pairingDisabled": false, "uriParameters": parameters]])
      let created = try await ann.create()
      let secret = try created.text("secret")
      let address = "otpauth://totp/ann?secret=\(secret)&issuer=Acme%20%26%20Co&digits=6"
      #expect(created.body["keyUri"]?.string == address)
      for status in ["ACTIVE", "NONE"] {
        let refused = try await ann.create(["status": .string(status)])
        #expect(refused.status == 400)
      }
      let mobile = try await ann.create(["type": "MOBILE"])
      #expect(mobile.status == 400)
      try await bench.setMFASettings(["pairing": ["maxAllowedDevices": 1]])
      _ = try await bench.pairedDevice("ann")
      let many = try await ann.create()
      #expect(many.status == 429 && many.code == "REQUEST_LIMITED")
      try await bench.setMFASettings(["pairing": ["maxAllowedDevices": 2]])
      try await bench.advance(seconds: 1801)
      let fresh = try await SelfServiceClient(bench)
      let authenticator = try #require(Authenticator(base32: secret))
      let passcode = try authenticator.passcode(ofWindow: authenticator.currentWindow)
      let late = try await fresh.activate(created, passcode)
      #expect(late.status == 400 && late.detail == "EXPIRED_CODE")
    }
  }

  @Test("an authenticator app authenticates with each passcode once and is locked after failures")
  func use() async throws {
    try await Bench.run(selfService: true) { bench in
      let ann = try await SelfServiceClient(bench)
      let (id, authenticator) = try await ann.enrol()
      let started = try await bench.startAuthentication(of: "ann")
      #expect(started.body["status"] == "OTP_REQUIRED")
      #expect(started.body["selectedDevice"]?["id"]?.string == id)
      #expect(started.body["_embedded"]?["devices"]?.array?.first?["type"] == "TOTP")
      let window = authenticator.currentWindow
      let used: JSON = ["otp": .string(try authenticator.passcode(ofWindow: window))]
      let checked = try await bench.act(started, "otp.check", used)
      #expect(checked.body["status"] == "COMPLETED")
      let next = try await bench.startAuthentication(of: "ann")
      for code in ["INVALID_OTP", "INVALID_OTP", "OneTimePasscodeRetriesExceeded"] {
        let replayed = try await bench.act(next, "otp.check", used)
        #expect(replayed.status == 400 && replayed.detail == code)
      }
      let device = try await ann.send("GET", "/\(id)")
      #expect(device.body["lock"]?["status"] == "LOCKED")
      let right: JSON = ["otp": .string(try authenticator.passcode(ofWindow: window + 2))]
      let locked = try await bench.act(next, "otp.check", right)
      #expect(locked.status == 400)
      try await bench.advance(seconds: 120)
      let open = try await bench.act(next, "otp.check", right)
      #expect(open.body["status"] == "COMPLETED")
    }
  }

  @Test("passcodes are valid within the grace windows of the platform's clock")
  func clock() async throws {
    try await Bench.run(selfService: true) { bench in
      try await bench.setPolicy(["totp": ["passcodeGracePeriod": 1, "otp": ["failure": ["count": 7]]]])
      let ann = try await SelfServiceClient(bench)
      let created = try await ann.create()
      let authenticator = try #require(Authenticator(base32: try created.text("secret")))
      let passcode = try authenticator.passcode(ofWindow: authenticator.currentWindow)
      let skewed = try await bench.send("POST", "/sandbox/clock", ["skew": -86_400])
      #expect(skewed.body["skew"]?.int == -86_400 && skewed.body["lead"] == 0)
      let early = try await ann.activate(created, passcode)
      #expect(early.detail == "INVALID_OTP")
      let dated = try #require(early.header("date"))
      _ = try await bench.send("POST", "/sandbox/clock", ["skew": 0])
      let active = try await ann.activate(created, passcode)
      #expect(active.body["status"] == "ACTIVE")
      // The two dates differ by one day.
      #expect(active.header("date")?.prefix(3) != dated.prefix(3))
    }
  }

  @Test("an authenticator app can be selected besides a mobile device")
  func selection() async throws {
    try await Bench.run(selfService: true) { bench in
      _ = try await bench.pairedDevice("ann")
      let ann = try await SelfServiceClient(bench)
      let (id, authenticator) = try await ann.enrol()
      let started = try await bench.startAuthentication(of: "ann")
      #expect(started.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      let chosen = try await bench.act(started, "device.select", ["device": ["id": .string(id)]])
      #expect(chosen.body["status"] == "OTP_REQUIRED")
      let window = authenticator.currentWindow
      let first: JSON = ["otp": .string(try authenticator.passcode(ofWindow: window))]
      let checked = try await bench.act(chosen, "otp.check", first)
      #expect(checked.body["status"] == "COMPLETED")
      var client = try await PolicyClient(try SignOnClient(bench), acr: "Multi_Factor")
      try await client.checkPassword()
      #expect(client.embedded?["devices"]?.array?.map { $0["type"] } == ["MOBILE", "TOTP"])
      try await client.act("device.select", ["device": ["id": .string(id)]])
      #expect(client.status == "OTP_REQUIRED")
      let next = try authenticator.passcode(ofWindow: window + 1)
      try await client.act("otp.check", ["otp": .string(next)])
      let claims = try await client.claims()
      #expect(claims["amr"] == ["pwd", "mfa", "otp"])
    }
  }

  @Test("a request with a lost reply takes effect")
  func lostReply() async throws {
    try await Bench.run(selfService: true) { bench in
      let ann = try await SelfServiceClient(bench)
      let path = try bench.devicesPath(of: "ann").split(separator: "ENV")
        .joined(separator: bench.environment)
      let fault: JSON = ["path": .string(path), "method": "POST", "loseReply": true]
      let added = try await bench.send("POST", "/sandbox/faults", fault)
      #expect(added.status == 201)
      let before = try await ann.send("GET")
      #expect(before.body["count"] == 0)
      let lost = try await ann.create()
      #expect(lost.status == 0)
      let after = try await ann.send("GET")
      #expect(after.body["count"] == 1)
    }
  }
}
