import JSON
import Testing

@Suite("device service: pairing", .timeLimit(.minutes(30)))
struct PairingTests {
  @Test("a pairing key pairs a device, and the first passcode activates it")
  func pairing() async throws {
    try await Bench.run { bench in
      var device = try await bench.trustedDevice()
      let key = try await bench.pairingKey(for: "ann")
      #expect(key.code.count == 14 && key.code.hasPrefix("01"))
      let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(begun.status == 201)
      #expect(begun.body["user"]?["username"] == "ann")
      #expect(begun.body["environment"]?["id"]?.string == bench.environment)
      #expect(begun.body["oath"]?["secret"]?.string?.count == 32)
      #expect(begun.body["authenticators"]?.array?.first?["status"] == "COMPLETED")
      // The response may have been lost.
      let again = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(again.status == 201)
      #expect(again.body == begun.body)
      try device.remember(begun)
      let passcode = try device.passcode(ofWindow: device.currentWindow)
      let path = "/pairings/\(device.pairings[0].id)/otp"
      for _ in 0..<2 {
        let checked = try await device.call("POST", path, ["otp": .string(passcode)])
        #expect(checked.status == 200)
      }
      let used = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(used.code == "INVALID_PAIRING_KEY")
      let status = try await bench.pairingKeyStatus(key.id, of: "ann")
      #expect(status.body["status"] == "CLAIMED")
      let devices = try await bench.send(
        "GET",
        "/v1/environments/ENV/users/\(try bench.user("ann").id)/devices"
      )
      let shown = devices.body["_embedded"]?["devices"]?.array?.first
      #expect(shown?["status"] == "ACTIVE")
      #expect(shown?["type"] == "MOBILE")
      #expect(shown?["pushEnabled"]?.bool == true)
    }
  }

  @Test("two users can be paired with one device and be unpaired separately")
  func severalUsers() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann", "bob")
      let ann = try bench.user("ann").id
      let renamed = try await device.call("PUT", "/users/\(ann)/nickname", ["nickname": "desk"])
      #expect(renamed.status == 204)
      #expect(renamed.body.isNull)
      let info = try await device.call("GET", "/info")
      let users = info.body["users"]?.array ?? []
      #expect(users.map { $0["username"]?.string } == ["ann", "bob"])
      #expect(users.first?["device"]?["nickname"] == "desk")
      #expect(users.first?["environment"]?["id"]?.string == bench.environment)
      #expect(info.body["logsRequested"]?.bool == false)
      let removed = try await device.call("DELETE", "/users/\(ann)")
      #expect(removed.status == 204)
      let gone = try await device.call("DELETE", "/users/\(ann)")
      #expect(gone.status == 404)
      let after = try await device.call("GET", "/info")
      #expect(after.body["users"]?.array?.count == 1)
    }
  }

  @Test("unknown, expired and deleted keys are rejected with the same error")
  func refusedKeys() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      let unknown = try await device.call("POST", "/pairings", ["pairingKey": "01000000000000"])
      #expect(unknown.status == 404)
      let withdrawn = try await bench.pairingKey(for: "ann")
      let path = "/v1/environments/ENV/users/\(try bench.user("ann").id)/pairingKeys/\(withdrawn.id)"
      let deleted = try await bench.send("DELETE", path)
      #expect(deleted.status == 204)
      let refused = try await device.call("POST", "/pairings", ["pairingKey": .string(withdrawn.code)])
      #expect(refused.code == "INVALID_PAIRING_KEY")
      let key = try await bench.pairingKey(for: "ann")
      try await bench.advance(seconds: 601)
      let expired = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(expired.code == "INVALID_PAIRING_KEY")
      let missing = try await device.call("POST", "/pairings", [:])
      #expect(missing.detail == "REQUIRED_VALUE")
    }
  }

  @Test("a key of another geography names it")
  func geography() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      let key = try await bench.pairingKey(for: "ann", ["region": "EU"])
      #expect(key.code.hasPrefix("02"))
      let refused = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(refused.status == 421)
      #expect(refused.body["geo"] == "Europe")
      var european = try await bench.trustedDevice(geo: "Europe")
      try await european.pair(key.code)
    }
  }

  @Test("three wrong passcodes end a pairing")
  func retries() async throws {
    try await Bench.run { bench in
      var device = try await bench.trustedDevice()
      let key = try await bench.pairingKey(for: "ann")
      try device.remember(try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)]))
      let path = "/pairings/\(device.pairings[0].id)/otp"
      let wrong: JSON = ["otp": .string(try device.wrongPasscode())]
      let first = try await device.call("POST", path, wrong)
      #expect(first.status == 400)
      #expect(first.code == "InvalidOneTimePasscode")
      #expect(first.body["triesLeft"] == 2)
      let late: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow - 120))]
      let second = try await device.call("POST", path, late)
      #expect(second.code == "UnSynchronizedClock")
      let third = try await device.call("POST", path, wrong)
      #expect(third.code == "OneTimePasscodeRetriesExceeded")
      let gone = try await device.call("POST", path, wrong)
      #expect(gone.status == 404)
      let status = try await bench.pairingKeyStatus(key.id, of: "ann")
      #expect(status.body["status"] == "FAILED")
      #expect(status.body["error"]?["code"] == "OneTimePasscodeRetriesExceeded")
    }
  }

  @Test("the first passcode must be sent within fifteen minutes")
  func activationExpires() async throws {
    try await Bench.run { bench in
      var device = try await bench.trustedDevice()
      let key = try await bench.pairingKey(for: "ann")
      try device.remember(try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)]))
      try await bench.advance(seconds: 901)
      let passcode = try device.passcode(ofWindow: device.currentWindow)
      let answer = try await device.call(
        "POST",
        "/pairings/\(device.pairings[0].id)/otp",
        ["otp": .string(passcode)]
      )
      #expect(answer.code == "OneTimePasscodeExpired")
    }
  }

  @Test("a device without pushes is told the reason at pairing")
  func pushAuthenticator() async throws {
    try await Bench.run { bench in
      var device = try TestDevice(bench)
      try await device.trust()
      let codes = [try await bench.pairingKey(for: "ann").code, try await bench.pairingKey(for: "bob").code]
      func push(_ code: String) async throws -> JSON? {
        let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(code)])
        return begun.body["authenticators"]?.array?.first?["errorCode"]
      }
      let missing = try await push(codes[0])
      #expect(missing == "MissingDeviceToken")
      let off = try await device.call("PUT", "/push", ["provider": "POLL", "allowed": false])
      #expect(off.body["pushEnabled"]?.bool == false)
      let disabled = try await push(codes[1])
      #expect(disabled == "PushDisabled")
      let tokenless = try await device.call("PUT", "/push", ["provider": "FCM", "allowed": true])
      #expect(tokenless.body["pushEnabled"]?.bool == false)
      let nonsense = try await device.call("PUT", "/push", ["provider": "PIGEON", "allowed": true])
      #expect(nonsense.status == 400)
    }
  }

  @Test("logs are requested until they arrive")
  func logs() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let path = "/v1/environments/ENV/users/\(try bench.user("ann").id)/devices/\(device.pairings[0].id)"
      let requested = try await bench.send("PUT", "\(path)/logs", ["status": "PENDING"])
      #expect(requested.body["logs"]?["status"] == "PENDING")
      let info = try await device.call("GET", "/info")
      #expect(info.body["logsRequested"]?.bool == true)
      let sent = try await device.call("POST", "/logs", ["text": "line"])
      #expect(sent.body["supportId"]?.string != nil)
      let after = try await bench.send("GET", path)
      #expect(after.body["logs"]?["status"] == "RECEIVED")
    }
  }
}
