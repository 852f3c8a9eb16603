import EventLoop
import JSON
import Testing

@Suite("device selection and authorization", .timeLimit(.minutes(30)))
struct DeviceSelectionTests {
  @Test("deviceSelection decides if the user selects the device")
  func selection() async throws {
    try await Bench.run { bench in
      _ = try await bench.pairedDevice("ann")
      let second = try await bench.pairedDevice("ann")
      _ = try await bench.pairedDevice("bob")
      for (selection, ofAnn, ofBob) in [
        ("DEFAULT_TO_FIRST", "PUSH_CONFIRMATION_REQUIRED", "PUSH_CONFIRMATION_REQUIRED"),
        ("PROMPT_TO_SELECT", "DEVICE_SELECTION_REQUIRED", "PUSH_CONFIRMATION_REQUIRED"),
        ("ALWAYS_DISPLAY_DEVICES", "DEVICE_SELECTION_REQUIRED", "DEVICE_SELECTION_REQUIRED"),
      ] as [(String, JSON, JSON)] {
        let body: JSON = ["authentication": ["deviceSelection": .string(selection)]]
        try await bench.setPolicy(body)
        let ann = try await bench.startAuthentication(of: "ann")
        #expect(ann.body["status"] == ofAnn)
        let bob = try await bench.startAuthentication(of: "bob")
        #expect(bob.body["status"] == ofBob)
      }
      let open = try await bench.startAuthentication(of: "ann")
      let unselected = try await bench.act(open, "otp.check", ["otp": "123456"])
      #expect(unselected.code == "INVALID_REQUEST")
      let device: JSON = ["id": .string(second.pairings[0].id)]
      let selected = try await bench.act(open, "device.select", ["device": device])
      #expect(selected.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      #expect(selected.body["selectedDevice"] == device)
      let direct = try await bench.startAuthentication(of: "ann", ["selectedDevice": device])
      #expect(direct.body["selectedDevice"] == device)
      let none = try await bench.act(open, "device.select", ["device": ["id": "x"]])
      #expect(none.status == 400)
    }
  }

  @Test("methods disabled by the policy are not used")
  func switches() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules(["push": ["enabled": false]])
      let passcode = try await bench.startAuthentication(of: "ann")
      #expect(passcode.body["status"] == "OTP_REQUIRED")
      try await bench.setRules(["otp": ["enabled": false]])
      let otp: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow))]
      let refused = try await bench.act(passcode, "otp.check", otp)
      #expect(refused.code == "INVALID_REQUEST")
      let none = try await bench.startAuthentication(of: "ann")
      #expect(none.body["error"]?["code"] == "NO_USABLE_DEVICES")
      try await bench.setRules(["push": ["enabled": true]])
      let push = try await bench.startAuthentication(of: "ann")
      #expect(push.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      try await bench.setRules(["enabled": false])
      let disabled = try await bench.startAuthentication(of: "ann")
      #expect(disabled.body["error"]?["code"] == "NO_USABLE_DEVICES")
    }
  }

  private static let url = "/ENV/deviceAuthentications"

  /// Starts an authentication from the device itself.
  @EventLoop
  private func start(_ bench: Bench, _ device: TestDevice, _ more: JSONObject = [:]) async throws -> Answer {
    try await bench.startAuthentication(
      of: "ann",
      [
        "application": ["id": .string(bench.application)], "mobilePayload": .string(try device.payload(more)),
      ]
    )
  }

  @Test("a device authenticates its user if the policy authorizes devices")
  func authorization() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let stranger = try await bench.trustedDevice()
      let plain = try await start(bench, device)
      #expect(plain.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      try await bench.setRules(["deviceAuthorization": ["enabled": true]])
      let authorized = try await start(bench, device)
      #expect(authorized.body["status"] == "COMPLETED")
      #expect(authorized.body["selectedDevice"]?["id"]?.string == device.pairings[0].id)
      let other = try await start(bench, stranger)
      #expect(other.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      let user: JSON = ["id": .string(try bench.user("ann").id)]
      let used = try device.payload()
      for (body, status) in [
        (["user": user, "mobilePayload": .string(try device.payload())], 400),
        (["user": user, "application": ["id": .string(bench.application)], "mobilePayload": "x"], 400),
        (
          ["user": user, "application": ["id": .string(bench.application)], "mobilePayload": .string(used)],
          201
        ),
        (
          ["user": user, "application": ["id": .string(bench.application)], "mobilePayload": .string(used)],
          400
        ),
      ] as [(JSON, Int)] {
        let answer = try await bench.send("POST", Self.url, body)
        #expect(answer.status == status)
      }
    }
  }

  @Test("a silent push verifies the device, and the policy decides about a missing answer")
  func extraVerification() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      for (strictness, silence) in [("permissive", "COMPLETED"), ("restrictive", "FAILED")] as [(JSON, JSON)]
      {
        try await bench.setRules(["deviceAuthorization": ["enabled": true, "extraVerification": strictness]])
        let asked = try await start(bench, device)
        #expect(asked.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
        let push = try #require(try await device.poll().pushes.last)
        #expect(push["type"] == "silent")
        #expect(push["title"] == nil)
        let answered = try await device.answer(push, "approve")
        #expect(answered.body["status"] == "approved")
        let completed = try await bench.authentication(asked)
        #expect(completed.body["status"] == "COMPLETED")
        let denied = try await start(bench, device)
        _ = try await device.answer(try #require(try await device.poll().pushes.last), "deny")
        let failed = try await bench.authentication(denied)
        #expect(failed.body["status"] == "FAILED")
        let ignored = try await start(bench, device)
        try await bench.advance(seconds: 41)
        let over = try await bench.authentication(ignored)
        #expect(over.body["status"] == silence)
        _ = try await device.call("PUT", "/push", ["provider": "POLL", "allowed": false])
        let unreachable = try await start(bench, device)
        #expect(unreachable.body["status"] == silence)
        _ = try await device.call("PUT", "/push", ["provider": "POLL", "allowed": true])
      }
      // A missing answer of the device does not count as a push missed by its user.
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.first?["device"]?["lock"] == nil)
    }
  }

  @Test("a silent push of a device without integrity fails")
  func unsound() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let detection: JSON = ["mode": "ENABLED", "cacheDuration": ["amount": 5, "units": "MINUTES"]]
      try await bench.setMobile(["integrityDetection": detection])
      try await bench.setRules(["deviceAuthorization": ["enabled": true, "extraVerification": "permissive"]])
      let asked = try await start(bench, device)
      let push = try #require(try await device.poll().pushes.last)
      let refused = try await device.answer(push, "approve", posture: ["secureBoot": "disabled"])
      #expect(refused.status == 403 && refused.code == "FAILED_POLICY_REQUIREMENTS")
      let failed = try await bench.authentication(asked)
      #expect(failed.body["status"] == "FAILED")
    }
  }
}
