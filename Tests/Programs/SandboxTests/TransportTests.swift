import EventLoop
import JSON
import Testing

@Suite("push transport", .timeLimit(.minutes(30)))
struct TransportTests {
  /// The push authenticator of a new device when it is paired.
  @EventLoop
  private func push(_ bench: Bench, _ channel: JSON?) async throws -> JSON? {
    var device = try TestDevice(bench)
    try await device.trust()
    if let channel { _ = try await device.call("PUT", "/push", channel) }
    let key = try await bench.pairingKey(for: "ann")
    let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
    return begun.body["authenticators"]?.array?.first { $0["type"] == "PUSH" }
  }

  @Test("a pairing reports the obstacle to pushes, and sign-ons then use passcodes")
  func obstacles() async throws {
    try await Bench.run { bench in
      let poll: JSON = ["provider": "POLL", "allowed": true]
      let fcm: JSON = ["provider": "FCM", "token": "t", "allowed": true]
      let apns: JSON = ["provider": "APNS", "token": "t", "allowed": true]
      func code(_ channel: JSON?) async throws -> JSON? { try await push(bench, channel)?["errorCode"] }
      for channel in [poll, fcm, apns] {
        let reached = try await push(bench, channel)
        #expect(reached == ["type": "PUSH", "status": "COMPLETED"])
      }
      for channel in [nil, ["provider": "HMS", "allowed": true]] as [JSON?] {
        let missing = try await code(channel)
        #expect(missing == "MissingDeviceToken")
      }
      let disabled = try await code(["provider": "FCM", "token": "t", "allowed": false])
      #expect(disabled == "PushDisabled")
    }
  }

  @Test("a transport can refuse with any text, and then no push is sent")
  func transport() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("bob")
      let set = try await bench.send("PUT", "/sandbox/transport", ["refusal": "Unregistered"])
      #expect(set.status == 200)
      let refused = try await push(bench, ["provider": "POLL", "allowed": true])
      #expect(refused?["status"] == "FAILED" && refused?["errorCode"] == "Unregistered")
      let started = try await bench.startAuthentication(of: "bob")
      #expect(started.body["status"] == "OTP_REQUIRED")
      let tested = try await device.call("POST", "/push-test")
      #expect(tested.status == 201)
      let nothing = try await device.poll()
      #expect(nothing.pushes.isEmpty)
      _ = try await bench.send("PUT", "/sandbox/transport", ["refusal": .null])
      let open = try await bench.startAuthentication(of: "bob")
      #expect(open.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      let missing = try await bench.send("PUT", "/sandbox/transport", [:])
      #expect(missing.detail == "REQUIRED_VALUE")
    }
  }

  @Test("pushes of a transport can be read")
  func carried() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("bob")
      _ = try await device.call("POST", "/push-test")
      let fetched = try await bench.send("GET", "/sandbox/transport")
      #expect(fetched.body == ["refusal": .null, "carried": []])
      let channel: JSON = ["provider": "WEBPUSH", "token": "t", "allowed": true]
      _ = try await device.call("PUT", "/push", channel)
      let polled = try await device.call("GET", "/notifications?wait=0")
      let carried = try await bench.send("GET", "/sandbox/transport")
      let one = carried.body["carried"]?.array?.first
      #expect(one?["provider"] == "WEBPUSH" && one?["token"] == "t")
      #expect(one?["device"]?.string == device.id)
      #expect(one?["push"] == polled.body["notifications"]?.array?.first)
    }
  }
}
