import JSON
import Testing

@Suite("Applications", .timeLimit(.minutes(30)))
struct ApplicationTests {
  @Test("the application is there with its documented defaults, and others can be added and removed")
  func resources() async throws {
    try await Bench.run { bench in
      let read = try await bench.send("GET", bench.applicationPath)
      #expect(read.status == 200)
      #expect(read.body["type"] == "NATIVE_APP")
      let mobile = read.body["mobile"]
      #expect(mobile?["packageName"] == "mfad")
      #expect(mobile?["passcodeRefreshDuration"] == ["duration": 30, "timeUnit": "SECONDS"])
      #expect(mobile?["passcodeGracePeriod"] == 5)
      #expect(mobile?["integrityDetection"] == ["mode": "DISABLED"])
      #expect(mobile?["push"]?["numberMatching"]?["type"] == "ENTER_MANUALLY")
      let second = try await bench.secondApplication()
      let list = try await bench.send("GET", "/v1/environments/ENV/applications")
      #expect(list.body["_embedded"]?["applications"]?.array?.count == 2)
      let twin: JSON = ["name": "Twin", "type": "NATIVE_APP", "mobile": ["bundleId": "bank"]]
      let refused = try await bench.send("POST", "/v1/environments/ENV/applications", twin)
      #expect(refused.detail == "UNIQUENESS_VIOLATION")
      let path = "/v1/environments/ENV/applications/\(second)"
      let moved = try await bench.send("PUT", path, ["mobile": ["packageName": "other"]])
      #expect(moved.status == 400)
      let renamed = try await bench.send("PUT", path, ["name": "Bank 2"])
      #expect(renamed.body["name"] == "Bank 2")
      let deleted = try await bench.send("DELETE", path)
      #expect(deleted.status == 204)
      let first = try await bench.send("DELETE", bench.applicationPath)
      #expect(first.status == 400)
    }
  }

  @Test(
    "settings have their limits",
    arguments: [
      (#"{"passcodeRefreshDuration":{"duration":29,"timeUnit":"SECONDS"}}"#, "OUT_OF_RANGE", 400),
      (#"{"passcodeRefreshDuration":{"duration":61,"timeUnit":"SECONDS"}}"#, "OUT_OF_RANGE", 400),
      (#"{"passcodeRefreshDuration":{"duration":1,"timeUnit":"MINUTES"}}"#, "INVALID_VALUE", 400),
      (#"{"passcodeRefreshDuration":{"duration":60,"timeUnit":"SECONDS"}}"#, nil, 200),
      (#"{"passcodeRefreshDuration":{"duration":60}}"#, "REQUIRED_VALUE", 400),
      (#"{"passcodeGracePeriod":0}"#, "INVALID_VALUE", 400),
      (#"{"passcodeGracePeriod":11}"#, "INVALID_VALUE", 400),
      (#"{"passcodeGracePeriod":10}"#, nil, 200),
      (#"{"integrityDetection":{"mode":"ENABLED"}}"#, "REQUIRED_VALUE", 400),
      (
        #"{"integrityDetection":{"mode":"ENABLED","cacheDuration":{"amount":49,"units":"HOURS"}}}"#,
        "OUT_OF_RANGE", 400
      ),
      (
        #"{"integrityDetection":{"mode":"ENABLED","cacheDuration":{"amount":1,"units":"MINUTES"}}}"#, nil, 200
      ),
      (#"{"push":{"numberMatching":{"type":"GUESS"}}}"#, "INVALID_VALUE", 400),
      (#"{"push":7}"#, "INVALID_VALUE", 400),
    ]
  )
  func limits(_ setting: (String, String?, Int)) async throws {
    try await Bench.run { bench in
      let (mobile, code, status) = setting
      let before = try await bench.send("GET", bench.applicationPath)
      let answer = try await bench.send("PUT", bench.applicationPath, ["mobile": try JSON(parsing: mobile)])
      #expect(answer.status == status)
      #expect(answer.detail == code)
      let after = try await bench.send("GET", bench.applicationPath)
      #expect((after.body["mobile"] == before.body["mobile"]) == (status == 400))
    }
  }

  @Test("a range that was missed is told")
  func ranges() async throws {
    try await Bench.run { bench in
      let answer = try await bench.send("PUT", bench.applicationPath, ["mobile": ["passcodeGracePeriod": 11]])
      let detail = answer.body["details"]?.array?.first
      #expect(detail?["target"] == "mobile.passcodeGracePeriod")
      #expect(detail?["innerError"] == ["rangeMinimumValue": 1, "rangeMaximumValue": 10])
    }
  }

  @Test("a key of another application pairs no device of this one")
  func otherApplication() async throws {
    try await Bench.run { bench in
      let second = try await bench.secondApplication()
      let device = try await bench.trustedDevice()
      let key = try await bench.pairingKey(for: "ann", ["applications": [["id": .string(second)]]])
      let refused = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(refused.status == 400)
      #expect(refused.detail == "BUNDLE_ID")
      let status = try await bench.pairingKeyStatus(key.id, of: "ann")
      #expect(status.body["status"] == "UNCLAIMED")
      #expect(status.body["applications"] == [["id": .string(second)]])
      var banker = try TestDevice(bench)
      banker.appID = "bank"
      try await banker.trust()
      try await banker.pair(key.code)
      let code = try await bench.send(
        "POST",
        "/ENV/authenticationCodes",
        ["application": ["id": .string(bench.application)]]
      )
      let claim = "/authentication-codes/\(try #require(code.body["code"]?.string))/claim"
      let foreign = try await banker.call("POST", claim)
      #expect(foreign.code == "AUTHENTICATION_CODE_INVALID")
      var stranger = try TestDevice(bench)
      stranger.appID = "nobody"
      let unknown = try await stranger.call("POST", "/trust", .object(stranger.trustBody))
      #expect(unknown.detail == "BUNDLE_ID")
    }
  }

  @Test("the passcodes of a pairing have the application's period and windows")
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

  @Test("the address of an authentication code begins as the application says")
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
}
