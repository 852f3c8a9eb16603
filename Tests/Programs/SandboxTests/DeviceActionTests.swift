import JSON
import Testing

@Suite("sign-on policies: devices", .timeLimit(.minutes(30)))
struct DeviceActionTests {
  @Test("an approved push completes the sign-on")
  func push() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      var flow = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await flow.checkPassword()
      #expect(flow.status == "PUSH_CONFIRMATION_REQUIRED")
      #expect(flow.answer.body["selectedDevice"]?["id"]?.string == device.pairings[0].id)
      #expect(flow.embedded?["devices"]?.array?.first?["type"] == "MOBILE")
      try await flow.read()
      #expect(flow.status == "PUSH_CONFIRMATION_REQUIRED")
      let push = try #require(try await device.poll().pushes.first)
      let approved = try await device.answer(push, "approve")
      #expect(approved.status == 200)
      let before = flow.cookie
      try await flow.read()
      #expect(flow.cookie != before)
      #expect(try await flow.claims()["amr"] == ["pwd", "mfa", "swk"])
      let next = try await PolicyClient(flow.client, acr: "Test", cookie: flow.cookie)
      #expect(next.status == "COMPLETED")
    }
  }

  @Test("a denied push fails the sign-on")
  func denial() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      var flow = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await flow.checkPassword()
      let push = try #require(try await device.poll().pushes.first)
      _ = try await device.answer(push, "deny")
      try await flow.read()
      #expect(flow.status == "FAILED")
      #expect(flow.answer.body["error"]?["code"] == "PUSH_DENIED")
    }
  }

  @Test("an unanswered push can be sent again")
  func timeout() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      var flow = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await flow.checkPassword()
      let first = try await device.poll()
      try await bench.advance(seconds: 41)
      try await flow.read()
      #expect(flow.status == "PUSH_CONFIRMATION_TIMED_OUT")
      let otp = try await flow.act("otp.check", ["otp": "123456"])
      #expect(otp.code == "INVALID_REQUEST")
      try await flow.act("device.select", ["device": ["id": .string(device.pairings[0].id)]])
      #expect(flow.status == "PUSH_CONFIRMATION_REQUIRED")
      let push = try #require(try await device.poll().pushes.first)
      #expect(push["jti"] != first.pushes.first?["jti"])
      _ = try await device.answer(push, "approve")
      try await flow.read()
      #expect(flow.status == "COMPLETED")
    }
  }

  @Test("passcodes are accepted without pushes, each once, with a limit of failures")
  func passcodes() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      _ = try await device.call("PUT", "/push", ["provider": "POLL", "allowed": false])
      var flow = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await flow.checkPassword()
      #expect(flow.status == "OTP_REQUIRED")
      let wrong: JSON = ["otp": .string(try device.wrongPasscode())]
      let refused = try await flow.act("otp.check", wrong)
      #expect(refused.detail == "INVALID_OTP")
      let right: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow))]
      try await flow.act("otp.check", right)
      #expect(try await flow.claims()["amr"] == ["pwd", "mfa", "otp"])
      var second = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await second.checkPassword()
      for detail in ["INVALID_OTP", "INVALID_OTP", "OneTimePasscodeRetriesExceeded"] {
        let again = try await second.act("otp.check", right)
        #expect(again.detail == detail)
      }
      #expect(second.status == "OTP_REQUIRED")
    }
  }

  @Test("a passcode can replace a pending push")
  func passcodeInsteadOfPush() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      var flow = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await flow.checkPassword()
      #expect(flow.status == "PUSH_CONFIRMATION_REQUIRED")
      try await flow.act("otp.check", ["otp": .string(try device.passcode(ofWindow: device.currentWindow))])
      #expect(try await flow.claims()["amr"] == ["pwd", "mfa", "otp"])
    }
  }

  @Test("one of several devices is selected if the policy requires it")
  func selection() async throws {
    try await Bench.run { bench in
      let first = try await bench.pairedDevice("ann")
      let second = try await bench.pairedDevice("ann")
      let always: JSON = ["authentication": ["deviceSelection": "ALWAYS_DISPLAY_DEVICES"]]
      try await bench.setPolicy(always)
      var flow = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await flow.checkPassword()
      #expect(flow.status == "DEVICE_SELECTION_REQUIRED")
      let ids = (flow.embedded?["devices"]?.array ?? []).compactMap { $0["id"]?.string }
      #expect(ids == [first.pairings[0].id, second.pairings[0].id])
      let other = try await bench.pairedDevice("bob")
      let foreign = try await flow.act("device.select", ["device": ["id": .string(other.pairings[0].id)]])
      #expect(foreign.status == 400)
      try await flow.act("device.select", ["device": ["id": .string(ids[1])]])
      let push = try #require(try await second.poll().pushes.first)
      _ = try await second.answer(push, "approve")
      try await flow.read()
      #expect(flow.status == "COMPLETED")
    }
  }

  @Test("a user without a device fails, or is admitted if the policy bypasses MFA")
  func noDevice() async throws {
    try await Bench.run { bench in
      var blocked = try await PolicyClient(bench, ["LOGIN", "MFA"])
      try await blocked.checkPassword()
      #expect(blocked.status == "FAILED")
      #expect(blocked.answer.body["error"]?["code"] == "NO_USABLE_DEVICES")
      var passing = try await PolicyClient(bench, ["LOGIN", "MFA"], noDeviceMode: "BYPASS")
      try await passing.checkPassword()
      #expect(try await passing.claims()["amr"] == ["pwd"])
    }
  }

  @Test("the mobile payload's device replaces the push if the policy authorizes devices")
  func deviceAuthorization() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules(["deviceAuthorization": ["enabled": true]])
      var client = try SignOnClient(bench)
      client.parameters["mobilePayload"] = try device.payload()
      var flow = try await PolicyClient(client, acr: "Multi_Factor")
      try await flow.checkPassword()
      #expect(try await flow.claims()["amr"] == ["pwd", "mfa", "swk"])
      let pushes = try await device.poll().pushes
      #expect(pushes.isEmpty)
    }
  }

  @Test("a security key is requested and never accepted")
  func assertion() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["LOGIN", "ASSERTION"])
      try await flow.checkPassword()
      #expect(flow.status == "ASSERTION_REQUIRED")
      let refused = try await flow.act("assertion.check", ["assertion": "x"])
      #expect(refused.status == 400)
      try await flow.read()
      #expect(flow.status == "ASSERTION_REQUIRED")
    }
  }
}
