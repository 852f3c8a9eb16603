import EventLoop
import JSON
import Testing

@Suite("AM's pushes", .timeLimit(.minutes(30)))
struct AMPushTests {
  @Test("a journey shows the registration URI and continues after the registration")
  func registration() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await AMDevice(bench, choice: 0)
      #expect(device.address.hasPrefix("pushauth://push/Sandbox:ann?l="))
      let names = [
        "l", "issuer", "m", "s", "c", "r", "a", "uid", "pid", "b", "image",
      ]
      #expect(Set(device.parameters.keys) == Set(names))
      #expect(try device.text("l") == "amlbcookie=01" && device.text("issuer") == "Sandbox")
      #expect(try device.text("uid") == "ann" && device.bytes("s").count == 32)
      #expect(try device.text("r") == "\(bench.url)/am/json/alpha/push/sns/message?_action=register")
      #expect(try device.text("a") == "\(bench.url)/am/json/alpha/push/sns/message?_action=authenticate")
      let types = device.client.step["callbacks"]?.array?.map { $0["type"]?.string }
      #expect(
        types == ["TextOutputCallback", "TextOutputCallback", "HiddenValueCallback", "PollingWaitCallback"]
      )
      let script = try #require(device.client.output(1, "message")?.string)
      #expect(
        script.hasPrefix("window.QRCodeReader.createCode({") && script.contains(#"pushauth\x3A\x2F\x2Fpush"#)
      )
      let waiting = try await device.client.next()
      #expect(waiting.body["authId"] != nil)
      let registered = try await device.send("register", try device.registration())
      #expect(registered.status == 200 && registered.body == [:])
      let again = try await device.send("register", try device.registration())
      #expect(again.status == 400)
      let done = try await device.client.next()
      #expect(done.body["tokenId"] != nil)
      // A user with a push device gets no other one.
      try await device.client.signOn("am-registration")
      let second = try await device.client.next(["IDToken1": 0])
      #expect(second.body["tokenId"] != nil)
    }
  }

  @Test("an invalid registration is rejected with AM's error")
  func refusals() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await AMDevice(bench, choice: 0)
      let bad: JSON = ["code": 400, "reason": "Bad Request", "message": "Bad request."]
      let good = try device.registration()
      for wrong in [
        [:], ["jwt": good["jwt"] ?? ""], ["messageId": good["messageId"] ?? ""],
        ["messageId": "REGISTER:x", "jwt": good["jwt"] ?? ""], ["messageId": "x", "jwt": good["jwt"] ?? ""],
        try device.registration(secret: [1]), try device.registration(["response": "x"]),
        try device.registration(["deviceId": ""]), try device.registration(["mechanismUid": .null]),
        [
          "messageId": good["messageId"] ?? "",
          "jwt": try device.sign(["response": try device.response(to: device.bytes("c"))], algorithm: "none"),
        ],
      ] as [JSON] {
        let refused = try await device.send("register", wrong)
        #expect(refused.status == 400 && refused.body == bad, "\(wrong)")
      }
      let type = try await device.send("register", ["messageId": "OTHER:x", "jwt": "x"])
      #expect(type.status == 500)
      for (action, base) in [
        ("authenticate", "/am/json/alpha"), ("register", "/am/json"), ("x", "/am/json/alpha"),
      ] {
        let refused = try await device.send(action, good, base: base)
        #expect(refused.status == 400)
      }
      let realm = try await device.send("register", good, base: "/am/json/other")
      #expect(realm.status == 404)
      try await bench.setAM(["pushService": false])
      let missing = try await device.send("register", good)
      #expect(missing.status == 404 && missing.body["message"] == "Cannot find Push Notification Service.")
      try await bench.setAM(["pushService": true])
      try await bench.advance(seconds: 121)
      let late = try await device.send("register", good)
      #expect(late.status == 400)
      let failed = try await device.client.next()
      #expect(failed.status == 401)
    }
  }

  @Test("a message is signed with string claims, and its answer ends the journey", arguments: [true, false])
  func consent(_ approves: Bool) async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await AMDevice.enrolled(bench)
      try await device.client.signOn("am-push")
      try await device.client.next(["IDToken1": approves ? 0 : 2])
      let message = try await device.message()
      #expect(message.id.string?.hasPrefix("AUTHENTICATE:") == true)
      #expect(message.claims.members.allSatisfy { $0.value.string != nil })
      #expect(message.claims["k"]?.string == (approves ? "default" : "biometric"))
      #expect(message.claims["m"] == "Login attempt from ann at Sandbox" && message.claims["d"] == "ann")
      #expect(message.claims["t"] == "120" && message.claims["n"] == nil && message.claims["x"] == nil)
      let waiting = try await device.client.next()
      #expect(waiting.body["authId"] != nil)
      // A deny claim of any value is a denial.
      let answered = try await device.answer(message, approves ? [:] : ["deny": false])
      #expect(answered.status == 200 && answered.body == [:])
      let done = try await device.client.next()
      #expect(done.status == (approves ? 200 : 401))
      let cancelled = try await device.answer((id: "AUTHENTICATE:x", claims: message.claims))
      #expect(cancelled.status == 400)
    }
  }

  @Test("a wrong number is rejected since 8.1, and fails the journey before", arguments: ["8.0.2", "8.1"])
  func numbers(_ version: String) async throws {
    try await Bench.run(flow: nil) { bench in
      try await bench.setAM(["version": .string(version), "contextInfo": true])
      let device = try await AMDevice.enrolled(bench)
      try await device.client.signOn("am-push")
      try await device.client.next(["IDToken1": 1])
      #expect(device.client.output(0, "id") == "pushChallengeNumber")
      let shown = try #require(device.client.output(0, "value")?.string)
      let message = try await device.message()
      #expect(message.claims["x"]?.string?.hasPrefix("{") == true)
      let numbers = try #require(message.claims["n"]?.string).split(separator: ",").map(String.init)
      #expect(numbers.count == 3 && numbers.contains(shown) && numbers == numbers.sorted())
      let odd = try await device.answer(message, ["challengeResponse": "x"])
      #expect(odd.status == 500)
      let other = try #require(numbers.first { $0 != shown })
      let wrong = try await device.answer(message, ["challengeResponse": .string(other)])
      #expect(wrong.status == (version == "8.1" ? 400 : 200))
      if version == "8.1" {
        let right = try await device.answer(message, ["challengeResponse": .string(shown)])
        #expect(right.status == 200)
      }
      let done = try await device.client.next()
      #expect(done.status == (version == "8.1" ? 200 : 401))
    }
  }

  @Test("an unanswered message fails the journey and can no longer be answered")
  func expiry() async throws {
    try await Bench.run(flow: nil) { bench in
      try await bench.setAM(["messageDuration": 60])
      let device = try await AMDevice.enrolled(bench)
      try await device.client.signOn("am-push")
      try await device.client.next()
      let message = try await device.message()
      try await bench.advance(seconds: 60)
      let late = try await device.answer(message)
      #expect(late.status == 400)
      let done = try await device.client.next()
      #expect(done.status == 401)
    }
  }

  @Test("a device refreshes its push address")
  func refresh() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await AMDevice.enrolled(bench)
      let claims: JSONObject = [
        "deviceId": "other", "deviceName": "laptop", "mechanismUid": .string(device.mechanism),
      ]
      let outer: JSONObject = [
        "mechanismUid": .string(device.mechanism), "username": "ann", "jwt": try device.sign(claims),
      ]
      for (name, value) in [
        ("username", "bob"), ("username", nil), ("mechanismUid", "x"),
        ("jwt", try device.sign(claims, with: [1])),
        ("jwt", try device.sign(["deviceId": "other", "mechanismUid": "x"])), ("jwt", try device.sign([:])),
      ] as [(String, JSON?)] {
        var wrong = outer
        wrong[name] = value
        let refused = try await device.send("refresh", .object(wrong))
        #expect(refused.status == 400, "\(name)")
      }
      let refreshed = try await device.send("refresh", .object(outer))
      #expect(refreshed.status == 200)
      try await device.client.signOn("am-push")
      try await device.client.next()
      let list = try await bench.send("GET", "/sandbox/am/messages")
      #expect(list.body["messages"]?.array?.last?["deviceId"] == "other")
    }
  }
}

extension Bench {
  func setAM(_ settings: JSON) async throws {
    let answer = try await send("PUT", "/sandbox/am", settings)
    #expect(answer.status == 200)
  }
}
