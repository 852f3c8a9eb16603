import JSON
import Testing

@Suite("Policies", .timeLimit(.minutes(30)))
struct PolicyTests {
  @Test("the policy is there with its documented defaults")
  func defaults() async throws {
    try await Bench.run { bench in
      let policy = try await bench.policy()
      #expect(policy["authentication"]?["deviceSelection"] == "DEFAULT_TO_FIRST")
      #expect(policy["newDeviceNotification"] == "NONE")
      let failure: JSON = ["count": 3, "coolDown": ["duration": 2, "timeUnit": "MINUTES"]]
      #expect(policy["mobile"]?["otp"]?["failure"] == failure)
      let rules = try #require(policy["mobile"]?["applications"]?.array?.first)
      #expect(rules["id"]?.string == bench.application)
      #expect(rules["push"] == ["enabled": true, "numberMatching": ["enabled": false]])
      #expect(rules["pushTimeout"] == ["duration": 40, "timeUnit": "SECONDS"])
      #expect(rules["pairingKeyLifetime"] == ["duration": 10, "timeUnit": "MINUTES"])
      let limit: JSON = [
        "count": 5, "timePeriod": ["duration": 10, "timeUnit": "MINUTES"],
        "lockDuration": ["duration": 30, "timeUnit": "MINUTES"],
      ]
      #expect(rules["pushLimit"] == limit)
      #expect(rules["deviceAuthorization"] == ["enabled": false])
      #expect(rules["integrityDetection"] == nil)
      #expect(rules["pairingDisabled"]?.bool == false)
    }
  }

  @Test("the methods that need no app are there as PingOne's interface has them, and kept")
  func methods() async throws {
    try await Bench.run { bench in
      let policy = try await bench.policy()
      #expect(policy["forSignOnPolicy"]?.bool == false)
      let failure: JSON = ["count": 3, "coolDown": ["duration": 2, "timeUnit": "MINUTES"]]
      let sending: JSON = [
        "enabled": true, "pairingDisabled": false, "promptForNicknameOnPairing": false,
        "otp": [
          "failure": failure, "lifeTime": ["duration": 30, "timeUnit": "MINUTES"], "otpLength": 6,
        ],
      ]
      for method in ["sms", "voice", "email"] { #expect(policy[method] == sending) }
      let totp: JSON = [
        "enabled": false, "pairingDisabled": false, "promptForNicknameOnPairing": false,
        "otp": ["failure": failure], "passcodeGracePeriod": 5, "uriParameters": [:],
      ]
      #expect(policy["totp"] == totp)
      let body: JSON = [
        "name": "Other", "sms": ["enabled": false, "otp": ["otpLength": 8]],
        "totp": ["enabled": true, "uriParameters": ["issuer": "Acme"]],
      ]
      let created = try await bench.send("POST", Bench.policies, body)
      #expect(created.body["sms"]?["enabled"]?.bool == false)
      #expect(created.body["sms"]?["otp"]?["otpLength"] == 8)
      #expect(created.body["totp"]?["uriParameters"] == ["issuer": "Acme"])
      for wrong in [
        ["totp": ["passcodeGracePeriod": 11]], ["totp": ["uriParameters": ["issuer": 1]]],
        ["sms": ["otp": ["otpLength": 5]]], ["email": ["enabled": 1]],
      ] as [JSON] {
        let refused = try await bench.send("PUT", try await bench.policyPath(), wrong)
        #expect(refused.status == 400)
      }
    }
  }

  @Test("policies are created, made the default, and deleted unless they are")
  func resources() async throws {
    try await Bench.run { bench in
      let body: JSON = ["name": "Strict", "mobile": ["enabled": false]]
      let created = try await bench.send("POST", Bench.policies, body)
      #expect(created.status == 201)
      #expect(created.body["default"]?.bool == false)
      let twin = try await bench.send("POST", Bench.policies, ["name": "Strict"])
      #expect(twin.detail == "UNIQUENESS_VIOLATION")
      let first = try await bench.policyPath()
      let second = "\(Bench.policies)/\(try #require(created.body["id"]?.string))"
      let promoted = try await bench.send("PUT", second, ["default": true])
      #expect(promoted.body["default"]?.bool == true)
      let old = try await bench.send("GET", first)
      #expect(old.body["default"]?.bool == false)
      let kept = try await bench.send("DELETE", second)
      #expect(kept.status == 400)
      let deleted = try await bench.send("DELETE", first)
      #expect(deleted.status == 204)
      let gone = try await bench.send("GET", first)
      #expect(gone.status == 404)
      let unknown: JSON = ["mobile": ["applications": [["id": "x"]]]]
      let refused = try await bench.send("PUT", second, unknown)
      #expect(refused.status == 400)
    }
  }

  @Test(
    "rules have their limits",
    arguments: [
      (#"{"pushTimeout":{"duration":39,"timeUnit":"SECONDS"}}"#, false),
      (#"{"pushTimeout":{"duration":151,"timeUnit":"SECONDS"}}"#, false),
      (#"{"pushTimeout":{"duration":150,"timeUnit":"SECONDS"}}"#, true),
      (#"{"pairingKeyLifetime":{"duration":0,"timeUnit":"MINUTES"}}"#, false),
      (#"{"pairingKeyLifetime":{"duration":49,"timeUnit":"HOURS"}}"#, false),
      (#"{"pairingKeyLifetime":{"duration":48,"timeUnit":"HOURS"}}"#, true),
      (#"{"pushLimit":{"count":0}}"#, false),
      (#"{"pushLimit":{"count":51}}"#, false),
      (#"{"pushLimit":{"count":50,"lockDuration":{"duration":120,"timeUnit":"MINUTES"}}}"#, true),
      (#"{"pushLimit":{"lockDuration":{"duration":121,"timeUnit":"MINUTES"}}}"#, false),
      (#"{"pushLimit":{"timePeriod":{"duration":121,"timeUnit":"MINUTES"}}}"#, false),
      (#"{"deviceAuthorization":{"extraVerification":"strict"}}"#, false),
      (#"{"deviceAuthorization":{"enabled":true,"extraVerification":"restrictive"}}"#, true),
      (#"{"integrityDetection":"sometimes"}"#, false),
    ]
  )
  func limits(_ rule: (String, Bool)) async throws {
    try await Bench.run { bench in
      let before = try await bench.policy()
      let body: JSON = ["mobile": ["applications": [try JSON(parsing: rule.0)]]]
      let answer = try await bench.send("PUT", try await bench.policyPath(), body)
      #expect(answer.status == (rule.1 ? 200 : 400))
      let after = try await bench.policy()
      #expect((after == before) == !rule.1)
    }
  }

  @Test("how often passcodes may fail has its limits")
  func passcodeLimits() async throws {
    try await Bench.run { bench in
      for (failure, status) in [
        (["count": 0], 400), (["count": 8], 400), (["count": 7], 200),
        (["coolDown": ["duration": 1, "timeUnit": "SECONDS"]], 400),
        (["coolDown": ["duration": 31, "timeUnit": "MINUTES"]], 400),
        (["coolDown": ["duration": 30, "timeUnit": "MINUTES"]], 200),
      ] as [(JSON, Int)] {
        let body: JSON = ["mobile": ["otp": ["failure": failure]]]
        let answer = try await bench.send("PUT", try await bench.policyPath(), body)
        #expect(answer.status == status)
      }
    }
  }

  @Test("a pairing key lives as long as its policy says, and pairs only where the policy lets it")
  func pairing() async throws {
    try await Bench.run { bench in
      var device = try await bench.trustedDevice()
      let rules: JSON = [
        "id": .string(bench.application), "pairingKeyLifetime": ["duration": 1, "timeUnit": "HOURS"],
        "otp": ["enabled": false],
      ]
      let body: JSON = [
        "name": "Long", "mobile": ["promptForNicknameOnPairing": true, "applications": [rules]],
      ]
      let created = try await bench.send("POST", Bench.policies, body)
      let policy = try #require(created.body["id"])
      let key = try await bench.pairingKey(for: "ann", ["policy": ["id": policy]])
      try await bench.advance(seconds: 3500)
      let begun = try await device.call("POST", "/pairings", ["pairingKey": .string(key.code)])
      #expect(begun.body["policy"]?["id"] == policy)
      #expect(begun.body["policy"]?["promptForNicknameOnPairing"]?.bool == true)
      // Without passcodes it is in force at once.
      #expect(begun.body["oath"] == nil)
      #expect(begun.body["authenticators"]?.array?.map { $0["type"] } == ["PUSH"])
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.count == 1)
      try await bench.setRules(["pairingDisabled": true])
      let disabled = try await bench.pairingKey(for: "bob")
      let refused = try await device.call("POST", "/pairings", ["pairingKey": .string(disabled.code)])
      #expect(refused.status == 403 && refused.code == "FAILED_POLICY_REQUIREMENTS")
      let status = try await bench.pairingKeyStatus(disabled.id, of: "bob")
      #expect(status.body["status"] == "FAILED")
      #expect(status.body["error"]?["code"] == "FAILED_POLICY_REQUIREMENTS")
      try await bench.setRules(["pairingDisabled": false])
      let again = try await bench.pairingKey(for: "bob")
      try await device.pair(again.code)
      let unknown = try await bench.send(
        "POST",
        "/v1/environments/ENV/users/\(try bench.user("ann").id)/pairingKeys",
        ["policy": ["id": "x"]]
      )
      #expect(unknown.status == 400)
    }
  }
}
