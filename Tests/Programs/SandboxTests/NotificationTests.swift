import EventLoop
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("device service: notifications", .timeLimit(.minutes(30)))
struct NotificationTests {
  @Test("a long poll ends with a push, and its approval completes the sign-on")
  func longPoll() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let polling = Task { @EventLoop in try await device.poll(wait: 30) }
      try await EventLoop.sleep(for: .milliseconds(100))
      let context: JSON = [
        "clientContext": ["header": "Hello", "lines": [1, 2]], "confirmationInfo": ["door": "open"],
      ]
      let started = try await bench.startAuthentication(of: "ann", ["notification": context])
      #expect(started.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      let (pushes, _) = try await polling.value
      let push = try #require(pushes.first)
      #expect(pushes.count == 1)
      #expect(push["type"] == "authentication")
      #expect(push["iss"]?.string == bench.url)
      #expect(push["sub"]?.string == (try bench.user("ann").id))
      #expect(push["env"]?.string == bench.environment)
      #expect(push["clientContext"] == context["clientContext"])
      #expect(push["timeout"] == 40)
      #expect(push["exp"]?.int == (push["iat"]?.int ?? 0) + 40)
      #expect(push["numberMatching"] == nil)
      for _ in 0..<2 {
        let approved = try await device.answer(push, "approve", ["authenticationMethod": "user"])
        #expect(approved.status == 200)
        #expect(approved.body["status"] == "approved")
        #expect(approved.body["confirmationInfo"] == ["door": "open"])
      }
      let completed = try await bench.authentication(started)
      #expect(completed.body["status"] == "COMPLETED")
      let other = try await device.answer(push, "deny")
      #expect(other.status == 409)
      #expect(other.body["status"] == "approved")
      #expect(other.body["answeredBy"]?.string == device.id)
      let status = try await device.call("GET", "/notifications/\(try #require(push["jti"]?.string))")
      #expect(status.body["status"] == "approved")
    }
  }

  @Test("a decision with wrong device, time or shown text is rejected")
  func evidence() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      _ = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let text = "\(push["title"]?.string ?? "")\n\(push["body"]?.string ?? "")\n"
      let shown = JSON.string(Base64URL.encode(try digest(Array(text.utf8), .sha256)))
      let whole: JSONObject = [
        "device": .string(try #require(device.id)), "iat": 1_800_000_000, "shown": shown,
      ]
      for (name, value) in [
        ("device", "another"), ("device", 1), ("iat", "now"), ("iat", -1), ("shown", "x"), ("shown", .null),
      ] as [(String, JSON)] {
        var wrong = whole
        wrong[name] = value
        #expect(try await device.answer(push, "deny", wrong).status == 400, "\(name) \(value)")
      }
      #expect(try await device.answer(push, "deny", whole).status == 200)
    }
  }

  @Test("a poll without pushes ends after its wait time")
  func emptyPoll() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let (pushes, answer) = try await device.poll(wait: 1)
      #expect(pushes.isEmpty)
      #expect(answer.body["more"]?.bool == false)
      #expect(answer.body["cursor"]?.string != nil)
    }
  }

  @Test(
    "a poll returns pushes after its cursor, or all without one, and rejects an unknown one"
  )
  func cursors() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      for _ in 0..<52 { _ = try await device.call("POST", "/push-test") }
      let first = try await device.poll()
      #expect(first.pushes.count == 50)
      #expect(first.answer.body["more"]?.bool == true)
      #expect(first.pushes[0]["type"] == "test")
      let second = try await device.poll(after: first.answer.body["cursor"]?.string)
      #expect(second.pushes.count == 2)
      #expect(second.answer.body["more"]?.bool == false)
      let third = try await device.poll(after: second.answer.body["cursor"]?.string)
      #expect(third.pushes.isEmpty)
      let again = try await device.poll(after: first.answer.body["cursor"]?.string)
      #expect(again.pushes.map { $0["jti"] } == second.pushes.map { $0["jti"] })
      for cursor in ["x", "AAAAAAAA.1", "1.2.3", "\(try #require(third.answer.body["cursor"]?.string))9"] {
        let unknown = try await device.poll(after: cursor)
        #expect(unknown.answer.status == 410)
        #expect(unknown.answer.code == "CURSOR_UNKNOWN")
      }
      try await bench.advance(seconds: 200)
      let over = try await device.poll()
      #expect(over.pushes.isEmpty)
    }
  }

  @Test("a response with large pushes stays below the size limit")
  func largePushes() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let context: JSON = ["clientContext": ["text": .string(String(repeating: "x", count: 8000))]]
      for _ in 0..<40 { _ = try await bench.startAuthentication(of: "ann", ["notification": context]) }
      var cursor: String?
      var count = 0
      repeat {
        let (pushes, answer) = try await device.poll(after: cursor)
        #expect((1..<40).contains(pushes.count))
        count += pushes.count
        cursor = answer.body["cursor"]?.string
        if answer.body["more"]?.bool != true { break }
      } while true
      #expect(count == 40)
    }
  }

  @Test("a denial fails the sign-on")
  func denial() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let started = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let denied = try await device.answer(push, "deny", ["reason": "REPORT_FRAUD"])
      #expect(denied.body["status"] == "denied")
      let failed = try await bench.authentication(started)
      #expect(failed.body["status"] == "FAILED")
      #expect(failed.body["error"]?["code"] == "PUSH_DENIED")
    }
  }

  @Test("an unanswered push expires for device and sign-on")
  func timeout() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let started = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      try await bench.advance(seconds: 41)
      let late = try await device.answer(push, "approve")
      #expect(late.status == 410)
      #expect(late.body["status"] == "expired")
      let over = try await bench.authentication(started)
      #expect(over.body["status"] == "PUSH_CONFIRMATION_TIMED_OUT")
      let again = try await bench.act(
        started,
        "device.select",
        ["device": ["id": .string(device.pairings[0].id)]]
      )
      #expect(again.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
    }
  }

  @Test("only the device of the push can answer, and only with its answer key")
  func otherDevice() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let other = try await bench.trustedDevice()
      _ = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      let mismatch = try await other.answer(push, "approve")
      #expect(mismatch.status == 403)
      #expect(mismatch.code == "DEVICE_MISMATCH")
      let forged = try await device.answer(push, "approve", with: device.key)
      #expect(forged.status == 400)
      let elsewhere = try await device.answer(push, "approve", ["notification": "x"])
      #expect(elsewhere.status == 400)
      let maybe = try await device.answer(push, "maybe")
      #expect(maybe.status == 400)
      let unknown = try await device.call("GET", "/notifications/nothing")
      #expect(unknown.status == 404)
    }
  }

  @Test("number matching requires the number and allows three attempts")
  func numberMatching() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules(["push": ["numberMatching": ["enabled": true]]])
      let started = try await bench.startAuthentication(of: "ann")
      let number = try #require(started.body["numberMatching"]?["number"]?.int)
      let push = try #require(try await device.poll().pushes.first)
      #expect(push["numberMatching"]?["type"] == "ENTER_MANUALLY")
      let missing = try await device.answer(push, "approve")
      #expect(missing.status == 422)
      #expect(missing.code == "NUMBER_REQUIRED")
      let wrong = try await device.answer(push, "approve", ["number": .int(number + 1)])
      #expect(wrong.status == 422)
      #expect(wrong.body["triesLeft"] == 2)
      let right = try await device.answer(push, "approve", ["number": .int(number)])
      #expect(right.body["status"] == "approved")
      let second = try await bench.startAuthentication(of: "ann")
      let next = try #require(try await device.poll().pushes.first)
      for left in [2, 1, 0] {
        let tried = try await device.answer(next, "approve", ["number": 5])
        #expect(tried.body["triesLeft"]?.int == left)
      }
      let failed = try await bench.authentication(second)
      #expect(failed.body["status"] == "FAILED")
    }
  }

  @Test("number selection offers three numbers, and a wrong one denies")
  func numberSelection() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules(["push": ["numberMatching": ["enabled": true]]])
      try await bench.setMobile(["push": ["numberMatching": ["type": "SELECT_NUMBER"]]])
      var places: Set<Int> = []
      for _ in 0..<40 where places.count < 2 {
        let started = try await bench.startAuthentication(of: "ann")
        let push = try #require(try await device.poll().pushes.last)
        #expect(push["numberMatching"]?["type"] == "SELECT_NUMBER")
        #expect(started.body["numberMatching"]?["type"] == "SELECT_NUMBER")
        let options = (push["numberMatching"]?["options"]?.array ?? []).compactMap(\.int)
        let number = try #require(started.body["numberMatching"]?["number"]?.int)
        #expect(Set(options).count == 3)
        places.insert(try #require(options.firstIndex(of: number)))
        let right = try await device.answer(push, "approve", ["number": .int(number)])
        #expect(right.body["status"] == "approved")
      }
      #expect(places.count == 2)
      let started = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.last)
      let number = try #require(started.body["numberMatching"]?["number"]?.int)
      let missing = try await device.answer(push, "approve")
      #expect(missing.code == "NUMBER_REQUIRED")
      let wrong = try await device.answer(push, "approve", ["number": .int(number == 10 ? 11 : 10)])
      #expect(wrong.status == 422 && wrong.code == "NUMBER_MISMATCH")
      #expect(wrong.body["triesLeft"] == 0)
      let failed = try await bench.authentication(started)
      #expect(failed.body["status"] == "FAILED")
      let late = try await device.answer(push, "approve", ["number": .int(number)])
      #expect(late.status == 409 && late.body["status"] == "denied")
    }
  }
}
