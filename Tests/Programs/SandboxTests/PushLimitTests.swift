import JSON
import Testing

@Suite("limit of missed pushes", .timeLimit(.minutes(30)))
struct PushLimitTests {
  private static let rules: JSON = [
    "pushLimit": [
      "count": 2, "timePeriod": ["duration": 5, "timeUnit": "MINUTES"],
      "lockDuration": ["duration": 1, "timeUnit": "MINUTES"],
    ]
  ]

  @Test("too many denials lock the account for pushes until the lock expires")
  func denials() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann", "bob")
      try await bench.setRules(Self.rules)
      for _ in 0..<3 { _ = try await bench.startAuthentication(of: "ann") }
      let pushes = try await device.poll().pushes
      #expect(pushes.count == 3)
      let first = try await device.answer(pushes[0], "deny")
      #expect(first.body["lock"] == nil)
      for _ in 0..<2 {
        // Also when the denial is repeated.
        let second = try await device.answer(pushes[1], "deny")
        #expect(second.status == 200)
        #expect(second.body["lock"]?["policy"] == "PUSH_LIMIT")
        #expect(second.body["lock"]?["expiresAt"]?.string != nil)
      }
      let refused = try await device.answer(pushes[2], "approve")
      #expect(refused.status == 403 && refused.code == "ACCOUNT_LOCKED")
      #expect(refused.body["policy"] == "PUSH_LIMIT")
      #expect(refused.body["expiresAt"]?.string != nil)
      let info = try await device.call("GET", "/info")
      let accounts = info.body["users"]?.array?.map { $0["device"] }
      #expect(accounts?[0]?["lock"]?["status"] == "LOCKED")
      #expect(accounts?[0]?["lock"]?["expiresAt"] == refused.body["expiresAt"])
      #expect(accounts?[1]?["lock"] == nil)
      let shown = try await bench.send("GET", try bench.devicesPath(of: "ann"))
      #expect(shown.body["_embedded"]?["devices"]?.array?.first?["lock"]?["status"] == "LOCKED")
      // Passcodes are still accepted, and another user's pushes still arrive.
      let locked = try await bench.startAuthentication(of: "ann")
      #expect(locked.body["status"] == "OTP_REQUIRED")
      let other = try await bench.startAuthentication(of: "bob")
      #expect(other.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      try await bench.advance(seconds: 61)
      let open = try await bench.startAuthentication(of: "ann")
      #expect(open.body["status"] == "PUSH_CONFIRMATION_REQUIRED")
      let after = try await device.call("GET", "/info")
      #expect(after.body["users"]?.array?.first?["device"]?["lock"] == nil)
    }
  }

  @Test("unanswered pushes count like denials, at their expiry")
  func ignored() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules(Self.rules)
      for _ in 0..<2 { _ = try await bench.startAuthentication(of: "ann") }
      try await bench.advance(seconds: 41)
      let locked = try await device.call("GET", "/info")
      #expect(locked.body["users"]?.array?.first?["device"]?["lock"]?["policy"] == "PUSH_LIMIT")
      try await bench.advance(seconds: 61)
      let open = try await device.call("GET", "/info")
      #expect(open.body["users"]?.array?.first?["device"]?["lock"] == nil)
    }
  }

  @Test("an approval or the time period resets the count")
  func rows() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules(Self.rules)
      func answer(_ decision: String) async throws -> Answer {
        _ = try await bench.startAuthentication(of: "ann")
        return try await device.answer(try #require(try await device.poll().pushes.last), decision)
      }
      for decision in ["deny", "approve", "deny"] {
        let answered = try await answer(decision)
        #expect(answered.status == 200 && answered.body["lock"] == nil)
      }
      try await bench.advance(seconds: 301)
      let late = try await answer("deny")
      #expect(late.body["lock"] == nil)
      let last = try await answer("deny")
      #expect(last.body["lock"] != nil)
    }
  }

  @Test("a push denied by wrong numbers counts")
  func wrongNumbers() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      try await bench.setRules([
        "pushLimit": ["count": 1], "push": ["numberMatching": ["enabled": true]],
      ])
      _ = try await bench.startAuthentication(of: "ann")
      let push = try #require(try await device.poll().pushes.first)
      for left in [2, 1, 0] {
        let wrong = try await device.answer(push, "approve", ["number": 5])
        #expect(wrong.body["triesLeft"]?.int == left)
        #expect((wrong.body["lock"]?["policy"] == "PUSH_LIMIT") == (left == 0))
      }
      let locked = try await bench.startAuthentication(of: "ann")
      #expect(locked.body["status"] == "OTP_REQUIRED")
    }
  }
}
