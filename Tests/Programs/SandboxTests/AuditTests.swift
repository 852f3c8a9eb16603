import EventLoop
import JSON
import Testing

@Suite("Audit", .timeLimit(.minutes(30)))
struct AuditTests {
  @EventLoop
  private func types(_ bench: Bench, _ filter: String? = nil) async throws -> [String] {
    var query = "?limit=1000"
    if let filter {
      let escaped = filter.split(separator: " ").joined(separator: "%20")
      query +=
        "&filter=\(escaped.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "%22"))"
    }
    let list = try await bench.send("GET", "/v1/environments/ENV/activities\(query)")
    #expect(list.status == 200)
    let activities = list.body["_embedded"]?["activities"]?.array ?? []
    return activities.reversed().compactMap { $0["action"]?["type"]?.string }
  }

  @Test("what happens to a device from its pairing to its end is told")
  func device() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let one = "\(try bench.devicesPath(of: "ann"))/\(device.pairings[0].id)"
      _ = try await bench.startAuthentication(of: "ann")
      _ = try await device.answer(try #require(try await device.poll().pushes.last), "approve")
      for reason in ["REPORT_FRAUD", "BIOMETRICS_REJECTED", "NONE"] as [JSON] {
        _ = try await bench.startAuthentication(of: "ann")
        let push = try #require(try await device.poll().pushes.last)
        for _ in 0..<2 { _ = try await device.answer(push, "deny", ["reason": reason]) }
      }
      _ = try await bench.startAuthentication(of: "ann")
      try await bench.advance(seconds: 41)
      for action in ["block", "unblock", "unlock"] {
        _ = try await bench.send("POST", one, type: "application/vnd.pingidentity.device.\(action)+json")
      }
      _ = try await device.call("POST", "/logs", ["text": "line"])
      _ = try await device.call("DELETE", "/users/\(try bench.user("ann").id)")
      let told = try await types(bench)
      #expect(
        told == [
          "DEVICE.ACTIVATED", "DEVICE_AUTHENTICATION.CREATED", "DEVICE_AUTHENTICATION.COMPLETED",
          "DEVICE_AUTHENTICATION.CREATED", "DEVICE_AUTHENTICATION.FAILED", "AUTHENTICATION.FRAUD_REPORTED",
          "DEVICE_AUTHENTICATION.CREATED", "DEVICE_AUTHENTICATION.FAILED",
          "AUTHENTICATION.BIOMETRICS_REJECTED",
          "DEVICE_AUTHENTICATION.CREATED", "DEVICE_AUTHENTICATION.FAILED", "DEVICE_AUTHENTICATION.CREATED",
          "DEVICE_AUTHENTICATION.TIMED_OUT", "DEVICE.BLOCKED", "DEVICE.UNBLOCKED", "DEVICE.UNLOCKED",
          "DEVICE.LOGS_RECEIVED", "DEVICE.DELETED",
        ]
      )
    }
  }

  @Test("a rotation is told when the new keys have taken over")
  func rotation() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      var next = try TestDevice(bench)
      let rotated = try await device.call("POST", "/keys", try device.rotation(to: next))
      #expect(rotated.status == 200)
      let before = try await types(bench, #"action.type eq "DEVICE.KEYS_ROTATED""#)
      #expect(before.isEmpty)
      next.id = device.id
      let info = try await next.call("GET", "/info")
      #expect(info.status == 200)
      let after = try await types(bench, #"action.type eq "DEVICE.KEYS_ROTATED""#)
      #expect(after.count == 1)
    }
  }

  @Test("activities are found by what, who, when and how")
  func filters() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann", "bob")
      let ann = try bench.user("ann").id
      for (filter, count) in [
        (#"actors.user.id eq "\#(ann)""#, 1), (#"resources.id eq "\#(device.pairings[1].id)""#, 1),
        (#"resources.type eq "DEVICE""#, 2), (#"result.status eq "FAILED""#, 0),
        (#"recordedAt gt "2018-08-20T00:00:00Z" AND recordedAt lt "2018-08-22T23:59:00.000Z""#, 0),
        (#"recordedAt gt "2018-08-20T00:00:00.000Z""#, 2), (#"createdAt lt "2018-08-20T00:00:00Z""#, 0),
      ] {
        let found = try await types(bench, filter)
        #expect(found.count == count, "\(filter)")
      }
      let list = try await bench.send("GET", "/v1/environments/ENV/activities?limit=1")
      let newest = try #require(list.body["_embedded"]?["activities"]?.array?.first)
      #expect(list.body["count"] == 2 && list.body["size"] == 1)
      #expect(newest["actors"]?["user"]?["name"] == "bob")
      #expect(newest["result"]?["status"] == "SUCCESS")
      let id = try #require(newest["id"]?.string)
      let one = try await bench.send("GET", "/v1/environments/ENV/activities/\(id)")
      #expect(one.body == newest)
      let unknown = try await bench.send("GET", "/v1/environments/ENV/activities?filter=x%20eq%20%22y%22")
      #expect(unknown.status == 400)
    }
  }

  @Test("what is done by codes, and pairings that fail, are told")
  func others() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules(["pairingDisabled": true])
      let key = try await bench.pairingKey(for: "bob")
      _ = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      let code = try await bench.send(
        "POST",
        "/ENV/authenticationCodes",
        ["application": ["id": .string(bench.application)]]
      )
      let text = try #require(code.body["code"]?.string)
      let claimed = try await device.call("POST", "/authentication-codes/\(text)/claim")
      let request = try #require(claimed.body["requestId"]?.string)
      let claims: JSONObject = ["decision": "deny", "requestId": .string(request), "reason": "REPORT_FRAUD"]
      let decision = try device.sign(claims, type: "decision+jwt")
      _ = try await device.call(
        "POST",
        "/authentication-codes/\(request)/answer",
        ["decision": .string(decision)]
      )
      let told = try await types(bench)
      #expect(
        told == [
          "DEVICE.ACTIVATED", "DEVICE.ACTIVATION_FAILED", "AUTHENTICATION_CODE.DENIED",
          "AUTHENTICATION.FRAUD_REPORTED",
        ]
      )
    }
  }
}
