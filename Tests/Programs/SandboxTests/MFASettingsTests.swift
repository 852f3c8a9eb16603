import JSON
import Testing

@Suite("MFA settings", .timeLimit(.minutes(30)))
struct MFASettingsTests {
  @Test("new users have MFA enabled if the settings say so")
  func newUsers() async throws {
    try await Bench.run { bench in
      try await bench.setMFASettings(["users": ["mfaEnabled": true]])
      let created = try await bench.send("POST", "/v1/environments/ENV/users", ["username": "eve"])
      #expect(created.body["mfaEnabled"]?.bool == true)
    }
  }

  @Test("pairing keys have the configured format")
  func keyFormat() async throws {
    try await Bench.run { bench in
      try await bench.setMFASettings(["pairing": ["pairingKeyFormat": "ALPHANUMERIC"]])
      let key = try await bench.pairingKey(for: "ann")
      #expect(key.code.count == 18 && key.code.hasPrefix("01"))
      #expect(key.code.allSatisfy { $0.isNumber || ($0.isUppercase && $0.isASCII) })
      var device = try await bench.trustedDevice()
      try await device.pair(key.code)
    }
  }

  @Test("the number of devices per user is limited, and pairing a device again does not count")
  func maximumDevices() async throws {
    try await Bench.run { bench in
      try await bench.setMFASettings(["pairing": ["maxAllowedDevices": 2]])
      var first = try await bench.pairedDevice("ann")
      _ = try await bench.pairedDevice("ann")
      let third = try await bench.trustedDevice()
      let key = try await bench.pairingKey(for: "ann")
      let refused = try await third.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(refused.status == 400 && refused.code == "FAILED_POLICY_REQUIREMENTS")
      #expect(refused.detail == "LIMIT_EXCEEDED")
      let status = try await bench.pairingKeyStatus(key.id, of: "ann")
      #expect(status.body["status"] == "FAILED")
      #expect(status.body["error"]?["code"] == "FAILED_POLICY_REQUIREMENTS")
      #expect(status.body["error"]?["message"]?.string?.isEmpty == false)
      try await first.pair(try await bench.pairingKey(for: "ann").code)
      let devices = try await bench.send("GET", try bench.devicesPath(of: "ann"))
      #expect(devices.body["count"] == 2)
    }
  }

  @Test("too many failures lock a user with all devices, until expiry or unlock")
  func lockout() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let user = "/v1/environments/ENV/users/\(try bench.user("ann").id)"
      try await bench.setMFASettings(["lockout": ["failureCount": 2, "durationSeconds": 60]])
      let waiting = try await bench.startAuthentication(of: "ann")
      let wrong: JSON = ["otp": .string(try device.wrongPasscode())]
      let right: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow))]
      func fail() async throws {
        let denied = try await bench.startAuthentication(of: "ann")
        let push = try #require(try await device.poll().pushes.last)
        _ = try await bench.act(denied, "otp.check", wrong)
        _ = try await device.answer(push, "deny")
      }
      try await fail()
      let push = try #require(try await device.poll().pushes.first)
      let refused = try await device.answer(push, "approve")
      #expect(refused.code == "ACCOUNT_LOCKED" && refused.body["policy"] == "MFA_LOCKOUT")
      let checked = try await bench.act(waiting, "otp.check", right)
      #expect(checked.status == 403 && checked.code == "ACCOUNT_LOCKED")
      let failed = try await bench.startAuthentication(of: "ann")
      #expect(failed.body["error"]?["code"] == "ACCOUNT_LOCKED")
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.first?["device"]?["lock"]?["policy"] == "MFA_LOCKOUT")
      let shown = try await bench.send("GET", user)
      #expect(shown.body["account"]?["status"] == "LOCKED")
      try await bench.advance(seconds: 61)
      let open = try await bench.startAuthentication(of: "ann")
      #expect(open.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      try await bench.setMFASettings(["lockout": ["durationSeconds": .null]])
      try await fail()
      let lasting = try await device.call("GET", "/info")
      let lock = lasting.body["users"]?.array?.first?["device"]?["lock"]
      #expect(lock?["policy"] == "MFA_LOCKOUT" && lock?["expiresAt"] == nil)
      try await bench.setPolicy(["ignoreUserLock": true])
      let ignored = try await bench.startAuthentication(of: "ann")
      #expect(ignored.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      try await bench.setPolicy(["ignoreUserLock": false])
      let unlocked = try await bench.send(
        "POST",
        user,
        [:],
        type: "application/vnd.pingidentity.account.unlock+json"
      )
      #expect(unlocked.body["account"] == ["canAuthenticate": true, "status": "OK"])
      let last = try await bench.startAuthentication(of: "ann")
      #expect(last.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
    }
  }
}
