import EventLoop
import JSON
import Testing

@Suite("device service: accounts", .timeLimit(.minutes(30)))
struct AccountTests {
  @Test("a requested test push arrives once the device accepts pushes")
  func pushTest() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let asked = try await device.call("POST", "/push-test")
      #expect(asked.status == 201)
      let push = try #require(try await device.poll().pushes.first)
      #expect(push["type"] == "test")
      #expect(push["jti"] == asked.body["id"])
      let stranger = try await bench.trustedDevice()
      let refused = try await stranger.call("POST", "/push-test")
      #expect(refused.code == "DEVICE_IS_NOT_PAIRED")
    }
  }

  @Test("calls about an unpaired user fail with DEVICE_IS_NOT_PAIRED")
  func unpaired() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann", "bob")
      let ann = try bench.user("ann").id
      let code = try await bench.send(
        "POST",
        "/ENV/authenticationCodes",
        ["application": ["id": bench.about["application"] ?? .null]]
      )
      let text = try #require(code.body["code"]?.string)
      let claimed = try await device.call("POST", "/authentication-codes/\(text)/claim")
      let request = try #require(claimed.body["requestId"]?.string)
      let started = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let removed = try await device.call("DELETE", "/users/\(ann)")
      #expect(removed.status == 204)
      let renamed = try await device.call("PUT", "/users/\(ann)/nickname", ["nickname": "desk"])
      #expect(renamed.status == 404 && renamed.code == "DEVICE_IS_NOT_PAIRED")
      let again = try await device.call("DELETE", "/users/\(ann)")
      #expect(again.status == 404 && again.code == "DEVICE_IS_NOT_PAIRED")
      let late = try await device.answer(push, "approve")
      #expect(late.status == 409 && late.body["status"] == "cancelled")
      let open = try await bench.authentication(started)
      #expect(open.body["status"] == "DEVICE_SELECTION_REQUIRED")
      let claims: JSONObject = [
        "decision": "approve", "requestId": .string(request), "userId": .string(ann),
      ]
      let decision: JSON = ["decision": .string(try device.sign(claims, type: "decision+jwt"))]
      let refused = try await device.call("POST", "/authentication-codes/\(request)/answer", decision)
      #expect(refused.code == "DEVICE_IS_NOT_PAIRED")
    }
  }

  @Test("a forgotten device gets a signed DEVICE_UNKNOWN, and its pairings are deleted")
  func forgotten() async throws {
    try await Bench.run { bench in
      var device = try await bench.pairedDevice("ann")
      let other = try await bench.pairedDevice("ann")
      let started = try await bench.startAuthentication(of: "ann")
      let id = try #require(device.id)
      let listed = try await bench.send("GET", "/sandbox/devices")
      #expect(listed.body["devices"]?.array?.map { $0["id"]?.string } == [id, other.id])
      let polling = Task { @EventLoop in try await device.call("GET", "/notifications?wait=30") }
      let forgotten = try await bench.send("DELETE", "/sandbox/devices/\(id)")
      #expect(forgotten.status == 204)
      let again = try await bench.send("DELETE", "/sandbox/devices/\(id)")
      #expect(again.status == 404)
      _ = try await polling.value
      let refused = try await device.call("GET", "/info")
      #expect(refused.status == 401 && refused.code == "DEVICE_UNKNOWN")
      let path = "/v1/environments/ENV/users/\(try bench.user("ann").id)/devices"
      let left = try await bench.send("GET", path)
      #expect(left.body["_embedded"]?["devices"]?.array?.count == 1)
      let open = try await bench.authentication(started)
      #expect(open.body["status"] == "DEVICE_SELECTION_REQUIRED")
      let info = try await other.call("GET", "/info")
      #expect(info.body["users"]?.array?.count == 1)
      // The device may establish trust again, as a new device.
      device.id = nil
      try await device.trust()
      #expect(device.id != id)
    }
  }
}
