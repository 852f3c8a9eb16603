import EventLoop
import JSON
import Testing

@Suite("Push credentials", .timeLimit(.minutes(30)))
struct PushCredentialTests {
  @EventLoop
  private func list(_ bench: Bench) async throws -> [JSON] {
    let answer = try await bench.send("GET", "\(bench.applicationPath)/pushCredentials")
    return answer.body["_embedded"]?["pushCredentials"]?.array ?? []
  }

  @EventLoop
  private func delete(_ bench: Bench, _ kinds: [JSON]? = nil) async throws {
    for credential in try await list(bench) where kinds?.contains(credential["type"] ?? .null) ?? true {
      let path = "\(bench.applicationPath)/pushCredentials/\(try #require(credential["id"]?.string))"
      let deleted = try await bench.send("DELETE", path)
      #expect(deleted.status == 204)
    }
  }

  /// What a fresh device is told of its pushes when it is paired with a new user.
  @EventLoop
  private func push(_ bench: Bench, _ channel: JSON?) async throws -> JSON? {
    var device = try TestDevice(bench)
    try await device.trust()
    if let channel { _ = try await device.call("PUT", "/push", channel) }
    let key = try await bench.pairingKey(for: "ann")
    let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
    return begun.body["authenticators"]?.array?.first { $0["type"] == "PUSH" }
  }

  @Test("credentials are kept without their secrets, one of a kind")
  func resources() async throws {
    try await Bench.run { bench in
      let path = "\(bench.applicationPath)/pushCredentials"
      let seeded = try await list(bench)
      #expect(seeded.map { $0["type"] } == ["APNS", "FCM_HTTP_V1", "HMS"])
      let created = try await bench.send("POST", path, ["type": "FCM", "key": "secret"])
      #expect(created.status == 201)
      #expect(created.body.object?.names == ["_links", "id", "type", "createdAt", "updatedAt"])
      let again = try await bench.send("POST", path, ["type": "FCM", "key": "secret"])
      #expect(again.detail == "UNIQUENESS_VIOLATION")
      let one = "\(path)/\(try #require(created.body["id"]?.string))"
      let read = try await bench.send("GET", one)
      #expect(read.body == created.body)
      let updated = try await bench.send("PUT", one, ["type": "FCM", "key": "other"])
      #expect(updated.status == 200)
      let changed = try await bench.send("PUT", one, ["type": "HMS", "clientId": "a", "clientSecret": "b"])
      #expect(changed.status == 400)
      for body in [
        ["type": "APNS", "key": "k", "teamId": "t"], ["type": "PIGEON"], ["key": "k"], ["type": "HMS"],
      ] as [JSON] {
        let refused = try await bench.send("POST", path, body)
        #expect(refused.status == 400)
      }
      let second = try await bench.secondApplication()
      let foreign = try await bench.send(
        "GET",
        "/v1/environments/ENV/applications/\(second)/pushCredentials/\(try #require(created.body["id"]?.string))"
      )
      #expect(foreign.status == 404)
    }
  }

  @Test("a pairing says why pushes cannot come, and then passcodes are asked for")
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
      try await delete(bench, ["FCM_HTTP_V1"])
      let google = try await code(fcm)
      #expect(google == "MissingPushCredentials")
      let other = try await code(apns)
      #expect(other == nil)
      try await delete(bench)
      let none = try await push(bench, poll)
      #expect(none?["status"] == "FAILED" && none?["errorCode"] == "MissingPushCredentials")
      let path = "\(bench.applicationPath)/pushCredentials"
      _ = try await bench.send("POST", path, ["type": "FCM", "key": "k"])
      let again = try await code(fcm)
      #expect(again == nil)
    }
  }

  @Test("a transport can refuse with any text, and then nothing is sent")
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

  @Test("what a transport carries can be seen")
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
