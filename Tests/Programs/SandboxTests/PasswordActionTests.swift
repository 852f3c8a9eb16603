import JSON
import Testing

@Suite("sign-on policies: passwords and codes", .timeLimit(.minutes(30)))
struct PasswordActionTests {
  @Test(
    "an expired password must be changed first",
    arguments: ["MUST_CHANGE_PASSWORD", "PASSWORD_EXPIRED"]
  )
  func change(_ status: String) async throws {
    try await Bench.run { bench in
      try await bench.setUser("ann", ["passwordStatus": .string(status)])
      var flow = try await PolicyClient(bench, ["LOGIN"])
      try await flow.checkPassword()
      #expect(flow.status == status)
      let old = JSON.string(try bench.user("ann").password)
      for (current, next, target) in [
        ("wrong", "long enough", "currentPassword"), (old, "short", "newPassword"), (old, old, "newPassword"),
      ] as [(JSON, JSON, JSON)] {
        let refused = try await flow.act("password.reset", ["currentPassword": current, "newPassword": next])
        #expect(refused.body["details"]?.array?.first?["target"] == target)
      }
      try await flow.act("password.reset", ["currentPassword": old, "newPassword": "long enough"])
      #expect(flow.status == "COMPLETED")
      var again = try await PolicyClient(bench, ["LOGIN"])
      try await again.checkPassword("ann", "long enough")
      #expect(again.status == "COMPLETED")
    }
  }

  @Test("a forgotten password is replaced with a code from a message")
  func recovery() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["LOGIN"])
      try await flow.act("password.forgot", ["username": "ann"])
      #expect(flow.status == "RECOVERY_CODE_REQUIRED")
      try await flow.act("password.sendRecoveryCode")
      let codes = try await bench.codes("RECOVERY_CODE", of: "ann")
      #expect(codes.count == 2)
      let old = try await flow.act(
        "password.recover",
        ["recoveryCode": .string(codes[0]), "newPassword": "long enough"]
      )
      #expect(old.body["details"]?.array?.first?["innerError"]?["attemptsRemaining"] == 4)
      let code = JSON.string(codes[1])
      let weak = try await flow.act("password.recover", ["recoveryCode": code, "newPassword": "short"])
      let unsatisfied = weak.body["details"]?.array?.first?["innerError"]?["unsatisfiedRequirements"]
      #expect(unsatisfied == ["length"])
      try await flow.act("password.recover", ["recoveryCode": code, "newPassword": "long enough"])
      #expect(flow.status == "COMPLETED")
      let anybody = try await bench.send("GET", "/sandbox/messages", token: "x")
      #expect(anybody.status == 401)
    }
  }

  @Test("a code allows five failures and expires after fifteen minutes")
  func codeLimits() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["LOGIN"])
      try await flow.act("password.forgot", ["username": "ann"])
      let wrong: JSON = ["recoveryCode": "?", "newPassword": "long enough"]
      for _ in 0..<5 { try await flow.act("password.recover", wrong) }
      let code = try await bench.codes("RECOVERY_CODE", of: "ann")[0]
      let right: JSON = ["recoveryCode": .string(code), "newPassword": "long enough"]
      let closed = try await flow.act("password.recover", right)
      #expect(closed.detail == "EXPIRED_CODE")
      try await flow.act("password.sendRecoveryCode")
      let next = try #require(try await bench.codes("RECOVERY_CODE", of: "ann").last)
      // Reading the flow extends its lifetime, but not that of the code.
      try await bench.advance(seconds: 600)
      try await flow.read()
      try await bench.advance(seconds: 300)
      let late = try await flow.act(
        "password.recover",
        ["recoveryCode": .string(next), "newPassword": "long enough"]
      )
      #expect(late.detail == "EXPIRED_CODE")
    }
  }

  @Test("an unknown user is asked for a code that is not sent")
  func unknownUser() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["LOGIN"])
      try await flow.act("password.forgot", ["username": "nobody"])
      #expect(flow.status == "RECOVERY_CODE_REQUIRED")
      let messages = try await bench.send("GET", "/sandbox/messages")
      #expect(messages.body["messages"] == [])
      let refused = try await flow.act("password.recover", ["recoveryCode": "", "newPassword": "x"])
      #expect(refused.status == 400)
    }
  }

  @Test("an unverified user enters a code once")
  func verification() async throws {
    try await Bench.run { bench in
      try await bench.setUser("ann", ["verified": false])
      var flow = try await PolicyClient(bench, ["LOGIN"])
      try await flow.checkPassword()
      #expect(flow.status == "VERIFICATION_CODE_REQUIRED")
      let wrong = try await flow.act("user.verify", ["verificationCode": "?"])
      #expect(wrong.detail == "INVALID_VALUE")
      try await flow.act("user.sendVerificationCode")
      let codes = try await bench.codes("VERIFICATION_CODE", of: "ann")
      #expect(codes.count == 2)
      try await flow.act("user.verify", ["verificationCode": .string(codes[1].lowercased())])
      #expect(flow.status == "COMPLETED")
      var again = try await PolicyClient(bench, ["LOGIN"])
      try await again.checkPassword()
      #expect(again.status == "COMPLETED")
    }
  }
}
