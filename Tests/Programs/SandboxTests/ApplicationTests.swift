import JSON
import Testing

@Suite("application and policy", .timeLimit(.minutes(30)))
struct ApplicationTests {
  @Test("only the application's package is trusted")
  func otherApp() async throws {
    try await Bench.run { bench in
      var stranger = try TestDevice(bench)
      stranger.appID = "nobody"
      let unknown = try await stranger.call("POST", "/trust", .object(stranger.trustBody))
      #expect(unknown.detail == "BUNDLE_ID")
      try await bench.setMobile(["packageName": "nobody"])
      try await stranger.trust()
      for name in ["policy", "application"] {
        let user: JSON = ["id": .string(try bench.user("ann").id)]
        let body: JSON = .object(["user": user, name: ["id": "x"]])
        let refused = try await bench.send("POST", "/ENV/deviceAuthentications", body)
        #expect(refused.status == 400 && refused.detail == "INVALID_VALUE")
      }
    }
  }

  @Test("passcodes use the application's period and grace windows")
  func passcodes() async throws {
    try await Bench.run { bench in
      try await bench.setMobile([
        "passcodeRefreshDuration": ["duration": 60, "timeUnit": "SECONDS"], "passcodeGracePeriod": 2,
      ])
      var device = try await bench.trustedDevice()
      let key = try await bench.pairingKey(for: "ann")
      let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(begun.body["oath"]?["period"] == 60)
      try device.remember(begun)
      let path = "/pairings/\(device.pairings[0].id)/otp"
      let far: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow(of: 60) - 4))]
      let late = try await device.call("POST", path, far)
      #expect(late.code == "UnSynchronizedClock")
      let near: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow(of: 60) - 1))]
      let checked = try await device.call("POST", path, near)
      #expect(checked.body["status"] == "ACTIVE")
      let started = try await bench.startAuthentication(of: "ann")
      let again = try await bench.act(started, "otp.check", far)
      #expect(again.detail == "INVALID_OTP")
      try await bench.setMobile(["passcodeGracePeriod": 10])
      let wider = try await bench.act(started, "otp.check", far)
      #expect(wider.body["status"] == "COMPLETED")
    }
  }

  @Test("the URI of an authentication code starts with the application's prefix")
  func uriPrefix() async throws {
    try await Bench.run { bench in
      let request: JSON = ["application": ["id": .string(bench.application)]]
      for prefix in ["https://example.com/sign-on", nil] as [String?] {
        try await bench.setMobile(["uriPrefix": prefix.map { .string($0) } ?? .null])
        let code = try await bench.send("POST", "/ENV/authenticationCodes", request)
        let text = try #require(code.body["code"]?.string)
        #expect(code.body["uri"]?.string == "\(prefix ?? "pingonesdk")?authentication_code=\(text)")
      }
    }
  }

  @Test("pairing keys follow the policy's lifetime and restrictions")
  func pairing() async throws {
    try await Bench.run { bench in
      var device = try await bench.trustedDevice()
      try await bench.setRules([
        "pairingKeyLifetime": ["duration": 1, "timeUnit": "HOURS"], "otp": ["enabled": false],
        "promptForNicknameOnPairing": true,
      ])
      let key = try await bench.pairingKey(for: "ann")
      try await bench.advance(seconds: 3500)
      let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(begun.body["policy"]?["id"]?.string?.isEmpty == false)
      #expect(begun.body["policy"]?["promptForNicknameOnPairing"]?.bool == true)
      // Without passcodes the pairing is active at once.
      #expect(begun.body["oath"] == nil)
      #expect(begun.body["authenticators"]?.array?.map { $0["type"] } == ["PUSH"])
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.count == 1)
      try await bench.setRules(["pairingDisabled": true])
      let disabled = try await bench.pairingKey(for: "bob")
      let refused = try await device.call("POST", "/pairings", ["pairingKey": .string(disabled.code)])
      #expect(refused.status == 403 && refused.code == "FAILED_POLICY_REQUIREMENTS")
      let status = try await bench.pairingKeyStatus(disabled.id, of: "bob")
      #expect(status.body["status"] == "FAILED")
      #expect(status.body["error"]?["code"] == "FAILED_POLICY_REQUIREMENTS")
      try await bench.setRules(["pairingDisabled": false, "otp": ["enabled": true]])
      let again = try await bench.pairingKey(for: "bob")
      try await device.pair(again.code)
      for body in [["policy": ["id": "x"]], ["applications": [["id": "x"]]]] as [JSON] {
        let unknown = try await bench.send(
          "POST",
          "/v1/environments/ENV/users/\(try bench.user("ann").id)/pairingKeys",
          body
        )
        #expect(unknown.status == 400)
      }
    }
  }

  @Test("a denied sign-on reports the device's reason")
  func denials() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      for (reason, message) in [
        ("REPORT_FRAUD", "The user reported the request as fraud."),
        ("BIOMETRICS_REJECTED", "The device rejected the user's biometrics."),
        ("NONE", "The user denied the request."),
      ] as [(JSON, JSON)] {
        let started = try await bench.startAuthentication(of: "ann")
        let push = try #require(try await device.poll().pushes.last)
        for _ in 0..<2 { _ = try await device.answer(push, "deny", ["reason": reason]) }
        let failed = try await bench.authentication(started)
        #expect(failed.body["error"] == ["code": "PUSH_DENIED", "message": message])
      }
    }
  }
}
