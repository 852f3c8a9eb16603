import EventLoop
import JSON
import Testing

@Suite("Codes that are sent", .timeLimit(.minutes(30)))
struct SentCodeTests {
  @Test(
    "a code goes to a device of the user and authenticates once",
    arguments: [("EMAIL", "email"), ("SMS", "phone"), ("VOICE", "phone")]
  )
  func device(_ kind: (String, String)) async throws {
    try await Bench.run { bench in
      let path = try bench.devicesPath(of: "ann")
      let body: JSONObject = ["type": .string(kind.0), kind.1: "there"]
      let created = try await bench.send("POST", path, .object(body))
      #expect(created.status == 201)
      #expect(created.body["status"] == "ACTIVE" && created.body[kind.1] == "there")
      let started = try await bench.startAuthentication(of: "ann")
      #expect(started.body["status"] == "OTP_REQUIRED")
      let code = try #require(try await bench.codes("AUTHENTICATION_CODE", of: "ann").last)
      #expect(code.count == 6)
      let wrong = try await bench.act(started, "otp.check", ["otp": "x"])
      #expect(wrong.status == 400 && wrong.detail == "INVALID_OTP")
      let right = try await bench.act(started, "otp.check", ["otp": .string(code)])
      #expect(right.body["status"] == "COMPLETED")
      let next = try await bench.startAuthentication(of: "ann")
      let old = try await bench.act(next, "otp.check", ["otp": .string(code)])
      #expect(old.status == 400)
      try await bench.advance(seconds: 1800)
      let fresh = try #require(try await bench.codes("AUTHENTICATION_CODE", of: "ann").last)
      let late = try await bench.act(next, "otp.check", ["otp": .string(fresh)])
      #expect(late.detail == "EXPIRED_CODE")
      let missing = try await bench.send("POST", path, ["type": .string(kind.0)])
      #expect(missing.status == 400)
    }
  }

  @Test("a device can be made so that a code has to activate it")
  func activation() async throws {
    try await Bench.run { bench in
      let path = try bench.devicesPath(of: "ann")
      let body: JSON = ["type": "EMAIL", "email": "ann@example.com", "status": "ACTIVATION_REQUIRED"]
      let created = try await bench.send("POST", path, body)
      #expect(created.body["status"] == "ACTIVATION_REQUIRED")
      let code = try #require(try await bench.codes("ACTIVATION_CODE", of: "ann").last)
      let one = "\(path)/\(try created.text("id"))"
      let type = "application/vnd.pingidentity.device.activate+json"
      let wrong = try await bench.send("POST", one, ["otp": "x"], type: type)
      #expect(wrong.status == 400)
      let right = try await bench.send("POST", one, ["otp": .string(code)], type: type)
      #expect(right.body["status"] == "ACTIVE")
    }
  }

  @Test("a code goes once to where the request says, if the policy has the method")
  func oneTime() async throws {
    try await Bench.run { bench in
      let once: JSON = ["oneTime": ["type": "EMAIL", "email": "ann@example.com"]]
      let started = try await bench.startAuthentication(of: "ann", ["selectedDevice": once])
      #expect(started.body["status"] == "OTP_REQUIRED")
      let code = try #require(try await bench.codes("AUTHENTICATION_CODE", of: "ann").last)
      let right = try await bench.act(started, "otp.check", ["otp": .string(code)])
      #expect(right.body["status"] == "COMPLETED")
      let devices = try await bench.send("GET", try bench.devicesPath(of: "ann"))
      #expect(devices.body["count"] == 0)
      let user: JSON = ["id": .string(try bench.user("ann").id)]
      try await bench.setPolicy(["sms": ["enabled": false]])
      for wrong in [
        ["type": "EMAIL"], ["type": "TOTP"], ["type": "SMS", "phone": "1"], ["email": "ann@example.com"],
      ] as [JSON] {
        let body: JSON = ["user": user, "selectedDevice": ["oneTime": wrong]]
        let refused = try await bench.send("POST", "/ENV/deviceAuthentications", body)
        #expect(refused.status == 400)
      }
    }
  }
}
