import EventLoop
import JSON
import Testing

@Suite("devices", .timeLimit(.minutes(30)))
struct DeviceTests {
  private static func action(_ name: String) -> String { "application/vnd.pingidentity.\(name)+json" }

  @Test("the first device of the order is the default, and without an order the user selects")
  func order() async throws {
    try await Bench.run { bench in
      var ids: [String] = []
      for _ in 0..<3 { ids.append(try await bench.pairedDevice("ann").pairings[0].id) }
      let path = try bench.devicesPath(of: "ann")
      func listed(_ query: String = "") async throws -> (devices: [String?], order: [String?]?) {
        let list = try await bench.send("GET", path + query)
        let devices = list.body["_embedded"]?["devices"]?.array ?? []
        return (devices.map { $0["id"]?.string }, list.body["order"]?.array?.map { $0["id"]?.string })
      }
      let plain = try await listed()
      #expect(plain.devices == ids && plain.order == nil)
      let wanted: JSON = ["order": [["id": .string(ids[2])], ["id": .string(ids[0])]]]
      let set = try await bench.send("POST", path, wanted, type: Self.action("devices.reorder"))
      #expect(set.status == 200)
      let ordered = try await listed("?expand=order")
      #expect(ordered.devices == [ids[2], ids[0], ids[1]])
      #expect(ordered.order == ordered.devices)
      let limited = try await listed("?limit=1")
      #expect(limited.devices == [ids[2]])
      let started = try await bench.startAuthentication(of: "ann")
      #expect(started.body["selectedDevice"]?["id"]?.string == ids[2])
      for wrong in [
        ["order": [["id": "x"]]], ["order": [["id": .string(ids[0])], ["id": .string(ids[0])]]], [:],
      ] as [JSON] {
        let refused = try await bench.send("POST", path, wrong, type: Self.action("devices.reorder"))
        #expect(refused.status == 400)
      }
      let created = try await bench.send("POST", path, ["type": "MOBILE"])
      #expect(created.status == 400)
      // The default device is deleted, and the next one replaces it.
      let deleted = try await bench.send("DELETE", "\(path)/\(ids[2])")
      #expect(deleted.status == 204)
      let next = try await bench.startAuthentication(of: "ann")
      #expect(next.body["selectedDevice"]?["id"]?.string == ids[0])
      for isAction in [true, false] {
        _ = try await bench.send("POST", path, ["order": []], type: Self.action("devices.reorder"))
        let removed =
          try await isAction
          ? bench.send("POST", path, type: Self.action("devices.order.remove")) : bench.send("DELETE", path)
        #expect(removed.status == 204)
        let unordered = try await listed("?expand=order")
        #expect(unordered.order == [])
        let open = try await bench.startAuthentication(of: "ann")
        #expect(open.body["status"] == "DEVICE_SELECTION_REQUIRED")
      }
    }
  }

  @Test("devices are filtered by status and type")
  func filters() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let key = try await bench.pairingKey(for: "ann")
      let second = try await bench.trustedDevice()
      _ = try await second.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      let path = try bench.devicesPath(of: "ann")
      for (filter, count) in [
        (#"status eq "ACTIVE""#, 1), (#"status eq "ACTIVATION_REQUIRED""#, 1), (#"type eq "MOBILE""#, 2),
        (#"type eq "SMS""#, 0), (#"type eq "MOBILE" and STATUS EQ "active""#, 1),
        (#"type eq "MOBILE" or status eq "ACTIVE""#, nil), (#"status eq ACTIVE"#, nil),
        (#"nickname eq "x""#, nil), (#"status eq "ACTIVE"#, nil), (#"status"#, nil), (#"status eq "\""#, nil),
      ] as [(String, Int?)] {
        var escaped = ""
        for byte in filter.utf8 {
          let digits = String(byte, radix: 16)
          escaped += "%" + (digits.count < 2 ? "0" : "") + digits
        }
        let list = try await bench.send("GET", "\(path)?filter=\(escaped)")
        #expect(list.status == (count == nil ? 400 : 200))
        #expect(list.body["count"]?.int == count)
      }
      let one = try await bench.send("GET", "\(path)/\(device.pairings[0].id)")
      #expect(one.body["_links"]?["device.block"] != nil)
    }
  }

  @Test("a blocked device is not used and is informed, until it is unblocked")
  func block() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let one = "\(try bench.devicesPath(of: "ann"))/\(device.pairings[0].id)"
      let waiting = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let blocked = try await bench.send("POST", one, type: Self.action("device.block"))
      #expect(blocked.status == 200)
      #expect(blocked.body["block"]?["status"] == "BLOCKED")
      #expect(blocked.body["block"]?["blockedAt"]?.string != nil)
      let late = try await device.answer(push, "approve")
      #expect(late.status == 409)
      let open = try await bench.authentication(waiting)
      #expect(open.body["status"] == "DEVICE_SELECTION_REQUIRED")
      let failed = try await bench.startAuthentication(of: "ann")
      #expect(failed.body["error"]?["code"] == "NO_USABLE_DEVICES")
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.first?["device"]?["lock"]?["policy"] == "DEVICE_BLOCKED")
      let code = try await bench.send(
        "POST",
        "/ENV/authenticationCodes",
        ["application": ["id": .string(bench.application)]]
      )
      let claim = "/authentication-codes/\(try #require(code.body["code"]?.string))/claim"
      let refused = try await device.call("POST", claim)
      #expect(refused.status == 403 && refused.code == "ACCOUNT_LOCKED")
      let unblocked = try await bench.send("POST", one, type: Self.action("device.unblock"))
      #expect(unblocked.body["block"] == nil)
      let claimed = try await device.call("POST", claim)
      #expect(claimed.status == 200)
      let again = try await bench.startAuthentication(of: "ann")
      #expect(again.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
    }
  }

  @Test("an administrator can unlock a device early")
  func unlock() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let one = "\(try bench.devicesPath(of: "ann"))/\(device.pairings[0].id)"
      try await bench.setRules(["pushLimit": ["count": 1]])
      let started = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let wrong: JSON = ["otp": .string(try device.wrongPasscode())]
      for _ in 0..<3 { _ = try await bench.act(started, "otp.check", wrong) }
      let denied = try await device.answer(push, "deny")
      #expect(denied.body["lock"] != nil)
      let locked = try await bench.send("GET", one)
      #expect(locked.body["lock"]?["status"] == "LOCKED")
      let unlocked = try await bench.send("POST", one, type: Self.action("device.unlock"))
      #expect(unlocked.body["lock"] == nil)
      let open = try await bench.startAuthentication(of: "ann")
      #expect(open.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      let right: JSON = ["otp": .string(try device.passcode(ofWindow: device.currentWindow))]
      let checked = try await bench.act(open, "otp.check", right)
      #expect(checked.body["status"] == "COMPLETED")
    }
  }

  @Test("a nickname set by the administrator is reported to the device")
  func nickname() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let one = "\(try bench.devicesPath(of: "ann"))/\(device.pairings[0].id)"
      let renamed = try await bench.send("PUT", "\(one)/nickname", ["nickname": "desk"])
      #expect(renamed.body["nickname"] == "desk")
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.first?["device"]?["nickname"] == "desk")
      let empty = try await bench.send("PUT", "\(one)/nickname", ["nickname": ""])
      #expect(empty.status == 400)
      let foreign = "\(try bench.devicesPath(of: "bob"))/\(device.pairings[0].id)/nickname"
      let refused = try await bench.send("PUT", foreign, ["nickname": "x"])
      #expect(refused.status == 404)
    }
  }

  @Test("a log request expires after a day")
  func logs() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let one = "\(try bench.devicesPath(of: "ann"))/\(device.pairings[0].id)"
      let requested = try await bench.send("PUT", "\(one)/logs", ["status": "PENDING"])
      #expect(requested.body["logs"]?["expiresAt"]?.string != nil)
      try await bench.advance(seconds: 24 * 3600 - 10)
      let wanted = try await device.call("GET", "/info")
      #expect(wanted.body["logsRequested"]?.bool == true)
      try await bench.advance(seconds: 10)
      let over = try await device.call("GET", "/info")
      #expect(over.body["logsRequested"]?.bool == false)
      // Logs without a request are accepted too.
      let sent = try await device.call("POST", "/logs", ["text": "line"])
      #expect(sent.status == 200)
      let logs = try await bench.send("GET", "/sandbox/logs")
      let log: JSON = [
        "supportId": sent.body["supportId"] ?? .null, "device": .string(device.id ?? ""), "text": "line",
      ]
      #expect(logs.body["logs"] == [log])
      let shown = try await bench.send("GET", one)
      #expect(shown.body["logs"] == nil)
      let other = try await bench.send("PUT", "\(one)/logs", ["status": "RECEIVED"])
      #expect(other.status == 400)
    }
  }
}
