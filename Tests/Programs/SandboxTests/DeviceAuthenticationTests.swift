import JSON
import Testing

@Suite("device authentications", .timeLimit(.minutes(30)))
struct DeviceAuthenticationTests {
  @Test("a passcode is accepted during a push and cancels it")
  func passcodeInsteadOfPush() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let started = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let passcode = try device.passcode(ofWindow: device.currentWindow)
      let checked = try await bench.act(started, "otp.check", ["otp": .string(passcode)])
      #expect(checked.status == 200)
      #expect(checked.body["status"] == "COMPLETED")
      let cancel = try #require(try await device.poll().pushes.first)
      #expect(cancel["type"] == "cancel")
      #expect(cancel["cancels"] == push["jti"])
      let late = try await device.answer(push, "approve")
      #expect(late.status == 409)
      #expect(late.body["status"] == "cancelled")
      #expect(late.body["answeredBy"] == "passcode")
      let over = try await bench.act(started, "otp.check", ["otp": .string(passcode)])
      #expect(over.code == "INVALID_REQUEST")
    }
  }

  @Test("a passcode is accepted once")
  func replayedPasscode() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let passcode: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow))]
      let first = try await bench.act(try await bench.startAuthentication(of: "ann"), "otp.check", passcode)
      #expect(first.status == 200)
      let second = try await bench.act(try await bench.startAuthentication(of: "ann"), "otp.check", passcode)
      #expect(second.status == 400)
      #expect(second.detail == "INVALID_OTP")
    }
  }

  @Test("three wrong passcodes block passcodes of the device for the cool-down time")
  func lock() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let off = try await device.call("PUT", "/push", ["provider": "POLL", "allowed": false])
      #expect(off.status == 200)
      let started = try await bench.startAuthentication(of: "ann")
      #expect(started.body["status"] == "OTP_REQUIRED")
      let wrong: JSON = ["otp": .string(try device.wrongPasscode())]
      for remaining in [2, 1] {
        let refused = try await bench.act(started, "otp.check", wrong)
        let error = refused.body["details"]?.array?.first
        #expect(error?["innerError"]?["attemptsRemaining"]?.int == remaining)
      }
      let last = try await bench.act(started, "otp.check", wrong)
      #expect(last.detail == "OneTimePasscodeRetriesExceeded")
      let right: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow))]
      let closed = try await bench.act(started, "otp.check", right)
      #expect(closed.detail == "OneTimePasscodeRetriesExceeded")
      try await bench.advance(seconds: 121)
      let open = try await bench.act(started, "otp.check", right)
      #expect(open.body["status"] == "COMPLETED")
    }
  }

  @Test("a cancelled push is sent to the device, and another device can be selected")
  func cancel() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let second = try await bench.pairedDevice("ann")
      let started = try await bench.startAuthentication(of: "ann")
      #expect(started.body["selectedDevice"]?["id"]?.string == device.pairings[0].id)
      #expect(started.body["_embedded"]?["devices"]?.array?.count == 2)
      let push = try #require(try await device.poll().pushes.first)
      let action = "cancel.push.authentication"
      let cancelled = try await bench.act(started, action, ["reason": "CHANGE_DEVICE"])
      #expect(cancelled.body["status"] == "DEVICE_SELECTION_REQUIRED")
      let cancel = try #require(try await device.poll().pushes.first)
      #expect(cancel["cancels"] == push["jti"])
      let twice = try await bench.act(started, action, ["reason": "CHANGE_DEVICE"])
      #expect(twice.status == 400)
      let chosen: JSON = ["device": ["id": .string(second.pairings[0].id)]]
      let selected = try await bench.act(started, "device.select", chosen)
      #expect(selected.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      let other = try #require(try await second.poll().pushes.first)
      let approved = try await second.answer(other, "approve")
      #expect(approved.status == 200)
      let completed = try await bench.authentication(started)
      #expect(completed.body["status"] == "COMPLETED")
    }
  }

  @Test("a user without devices fails, and an unknown one or one without MFA is rejected")
  func noDevices() async throws {
    try await Bench.run { bench in
      let failed = try await bench.startAuthentication(of: "bob")
      #expect(failed.body["status"] == "FAILED")
      #expect(failed.body["error"]?["code"] == "NO_USABLE_DEVICES")
      let bob = try bench.user("bob").id
      let path = "/v1/environments/ENV/users/\(bob)/mfaEnabled"
      let off = try await bench.send("PUT", path, ["mfaEnabled": false])
      #expect(off.body["mfaEnabled"]?.bool == false)
      let disabled = try await bench.send(
        "POST",
        "/ENV/deviceAuthentications",
        ["user": ["id": .string(bob)]]
      )
      #expect(disabled.status == 400)
      let unknown = try await bench.send("POST", "/ENV/deviceAuthentications", ["user": ["id": "x"]])
      #expect(unknown.status == 400)
      let missing = try await bench.send("POST", "/ENV/deviceAuthentications", [:])
      #expect(missing.detail == "REQUIRED_VALUE")
    }
  }

  @Test("an action is selected by its media type")
  func mediaTypes() async throws {
    try await Bench.run { bench in
      let started = try await bench.startAuthentication(of: "ann")
      let unknown = try await bench.act(started, "assertion.check", [:])
      #expect(unknown.status == 415)
      let none = try await bench.send("GET", "/ENV/deviceAuthentications/x")
      #expect(none.status == 404)
      let id = try #require(started.body["id"]?.string)
      let method = try await bench.send("DELETE", "/ENV/deviceAuthentications/\(id)")
      #expect(method.status == 405)
      #expect(method.headers.first { $0.name == "allow" }?.value == "GET, POST")
    }
  }

  @Test("unpairing cancels a pending push")
  func unpairing() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let started = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let ann = try bench.user("ann").id
      let path = "/v1/environments/ENV/users/\(ann)/devices/\(device.pairings[0].id)"
      let deleted = try await bench.send("DELETE", path)
      #expect(deleted.status == 204)
      let late = try await device.answer(push, "approve")
      #expect(late.status == 409)
      let open = try await bench.authentication(started)
      #expect(open.body["status"] == "DEVICE_SELECTION_REQUIRED")
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.isEmpty == true)
    }
  }
}
