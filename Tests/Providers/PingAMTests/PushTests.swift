import Approvals
import ControlAPI
import EventLoop
import Fixtures
import JSON
import JSONRPC
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import PingAM

@Suite("pushes of PingAM servers", .timeLimit(.minutes(30)))
struct PushTests {
  private static func vectors(_ name: String) throws -> [JSON] {
    try #require(try Fixtures.json("am/push_message_jwt.json")[name]?.array)
  }

  private static func envelope(_ vector: JSON) throws -> JSON {
    ["messageId": vector["message_id"] ?? .string(AMBench.messageID), "message": try #require(vector["jwt"])]
  }

  @Test("published pushes verify with their secret and with no other")
  func published() async throws {
    for vector in try Self.vectors("published") where vector["secret"]?.string != nil {
      try await AMBench.run { bench in
        let claims = try #require(vector["claims"])
        let mechanism = try #require(claims["u"]?.string)
        try bench.own()
        #expect(throws: RPCError.tokenRejected) { try bench.receive(Self.envelope(vector)) }
        try bench.own(try #require(vector["secret"]?.string), mechanism)
        let push = try bench.receive(Self.envelope(vector))
        #expect(push.state == .pending && push.timeoutDuration == 120 && push.content.body == nil)
        _ = try await bench.approve(push.id)
        let request = try #require(bench.requests.last)
        #expect(request.header("Cookie") == vector["lb_cookie_decoded"]?.string)
      }
    }
  }

  @Test("a push without a valid signature is rejected")
  func signatures() async throws {
    let vectors = try Self.vectors("signature")
    #expect(vectors.count == 6)
    for vector in vectors {
      try await AMBench.run { bench in
        try bench.own(try #require(vector["secret"]?.string))
        // One vector has a valid signature, but is not a push.
        let expected: RPCError =
          ["malformed"].contains(vector["expect"]?.string) ? .unrecognizedNotification : .tokenRejected
        let error = #expect(throws: RPCError.self) { try bench.receive(Self.envelope(vector)) }
        #expect([expected, .unrecognizedNotification].contains(error), "\(vector)")
        #expect(try bench.life.approvals.pushCount(of: AMBench.owner) == 0)
      }
    }
  }

  @Test("claims of every kind are parsed")
  func built() async throws {
    let vectors = try Self.vectors("built")
    #expect(vectors.count == 7)
    for vector in vectors {
      try await AMBench.run { bench in
        try bench.own()
        let push = try bench.receive(Self.envelope(vector))
        let claims = try #require(vector["claims"])
        #expect(push.content.body == claims["m"]?.string && push.content.title == "Acme")
        #expect(push.state == .pending && push.timeoutDuration == 120)
        #expect(push.content.clientContext == nil && push.content.numberMatching == nil)
        let context = try claims["x"]?.string.map { try JSON(parsing: $0) }
        #expect(push.content.applicationContext == context)
        let isBiometric = claims["k"] == "biometric"
        let error = await Self.error { try await bench.approve(push.id) }
        #expect(error?.code == (isBiometric ? RPCError.presenceRequired.code : nil))
      }
    }
  }

  private static func error(_ body: () async throws -> NotificationResult) async -> RPCError? {
    do {
      _ = try await body()
      return nil
    } catch { return RPCError(naming: error) }
  }

  @Test("a push without mechanism or challenge is rejected, and the cookie is optional")
  func missing() async throws {
    for vector in try Self.vectors("missing_claims") {
      try await AMBench.run { bench in
        try bench.own()
        guard vector["name"] == "missing_l" else {
          #expect(throws: RPCError.tokenRejected) { try bench.receive(Self.envelope(vector)) }
          return
        }
        let push = try bench.receive(Self.envelope(vector))
        _ = try await bench.approve(push.id)
        #expect(bench.requests.last?.header("Cookie") == nil)
      }
    }
  }

  @Test("every transport's envelope gives the same push, and other payloads are rejected")
  func shapes() async throws {
    let transports = try #require(try Fixtures.json("am/push_message_jwt.json")["transports"]?.array?.first)
    let map = try #require(transports["fcm_data"])
    let apns = try #require(transports["apns"])
    let relay = JSON.object([
      "v": 1, "messageId": map["messageId"] ?? .null, "message": map["message"] ?? .null, "sentAt": 1,
    ])
    try await AMBench.run { bench in
      try bench.own()
      let ids = try [map, apns, relay, ["data": map, "from": "x"], .string(map.text), .string(relay.text)].map
      {
        try bench.receive($0).id
      }
      #expect(Set(ids).count == 1)
      #expect(try bench.life.approvals.pushCount(of: AMBench.owner) == 1)
      for ignored in try Self.vectors("messages_ignored") {
        guard let payload = ignored["fcm_data"] else {
          // A push of an unknown account.
          #expect(throws: RPCError.tokenRejected) { try bench.receive(Self.envelope(ignored)) }
          continue
        }
        #expect(throws: RPCError.unrecognizedNotification) { try bench.receive(payload) }
      }
      for payload in ["", "x", ["messageId": 1, "message": "a.b.c"], ["aps": [:]], 1, .null, []] as [JSON] {
        #expect(throws: RPCError.unrecognizedNotification) { try bench.receive(payload) }
      }
      let foreign = try #require(try bench.push()["message"]?.string)
      for id in ["", "a b", "a:b:c", "x\u{0}", String(repeating: "a", count: 257)] {
        let payload: JSON = ["messageId": .string(id), "message": .string(foreign)]
        #expect(throws: RPCError.unrecognizedNotification) { try bench.receive(payload) }
      }
    }
  }

  @Test("a push expires by the server's clock, at most its lifetime after arrival")
  func time() async throws {
    // Age in seconds, lifetime, and remaining seconds.
    let cases: [(Int?, String, Int)] = [
      (0, "120", 120), (60, "120", 120), (90, "120", 90), (179, "120", 1), (180, "120", 0),
      (100_000, "120", 0),
      (-100_000, "120", 120), (nil, "120", 120), (nil, "two", 120), (nil, "", 120), (nil, "0", 1),
      (nil, "-5", 1),
      (nil, "99999999", 3600), (nil, "99999999999999999999999", 120),
    ]
    for (age, lifetime, left) in cases {
      try await AMBench.run { bench in
        try bench.own()
        let sentAt: JSON = age.map { .string("\(bench.clock.now.milliseconds - Int64($0) * 1000)") } ?? .null
        let push = try bench.receive(try bench.push(["i": sentAt, "t": .string(lifetime)]))
        #expect(push.timeoutDuration == left, "\(age ?? -1) \(lifetime)")
        #expect(push.state == (left > 0 ? .pending : .expired))
        guard left > 0 else {
          #expect(await Self.error { try await bench.approve(push.id) } == .pushTimeout)
          return
        }
        await bench.pass(.seconds(left))
        #expect(try bench.state(of: push.id) == .expired)
        #expect(bench.requests.isEmpty)
      }
    }
    for extreme in ["9223372036854775807", "-1", "x", "99999999999999999999"] {
      try await AMBench.run { bench in
        try bench.own()
        let push = try bench.receive(try bench.push(["i": .string(extreme)]))
        #expect(push.timeoutDuration == 120 && push.state == .pending, "\(extreme)")
      }
    }
  }

  @Test("a repeated push keeps its id and its answer")
  func again() async throws {
    try await AMBench.run { bench in
      let account = try bench.own()
      let payload = try bench.push()
      let push = try bench.receive(payload)
      #expect(try bench.receive(payload).id == push.id)
      // A pending push is not requested again under another id.
      let other = try bench.push(["c": .string(AMBench.challenge)], id: "AUTHENTICATE:other")
      #expect(try bench.receive(other).id == push.id)
      #expect(try bench.life.approvals.pushCount(of: AMBench.owner) == 1)
      _ = try await bench.deny(push.id)
      let denied = try bench.receive(payload)
      #expect(denied.id == push.id && denied.state == .denied)
      try bench.crash()
      #expect(try bench.receive(payload).id == push.id)
      // Nor is an answered push.
      #expect(try bench.receive(other).id == push.id)
      _ = account
    }
  }

  @Test(
    "a push that expired under a wrong id does not block the push with the right id"
  )
  func wrongID() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let lifetime: JSONObject = ["c": .string(AMBench.challenge), "t": "30"]
      let wrong = try bench.receive(try bench.push(lifetime, id: "AUTHENTICATE:wrong"))
      await bench.pass(.seconds(30))
      #expect(try bench.state(of: wrong.id) == .expired)
      #expect(try bench.receive(try bench.push(lifetime)).id != wrong.id)
    }
  }

  @Test("numbers of a push must be distinct and within limits")
  func numbers() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "challenge", "n": "13,57,88"]))
      #expect(push.content.numberMatching == "SELECT_NUMBER" && push.content.numberOptions == [13, 57, 88])
      for numbers in ["", "13,13", "13,,57", "x", "13, 57", "-1", "1234567890", "1,2,3,4,5,6,7,8,9,10,11"] {
        #expect(throws: RPCError.tokenRejected, "\(numbers)") {
          try bench.receive(try bench.push(["k": "challenge", "n": .string(numbers)], id: "AUTHENTICATE:n"))
        }
      }
      #expect(throws: RPCError.tokenRejected) {
        try bench.receive(try bench.push(["k": "challenge"], id: "AUTHENTICATE:n"))
      }
    }
  }

  @Test("invalid claims are rejected, and texts are cleaned")
  func hostile() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let id = "AUTHENTICATE:h"
      for changes in [
        ["t": 120], ["i": 1], ["k": ["challenge"]], ["c": "!"], ["c": ""], ["l": "!"], ["u": "another"],
        ["u": ""],
        ["l": .string(AMSample.encoded("a=b\r\nX: y"))], ["m": .null, "p": [:]],
      ] as [JSONObject] {
        #expect(throws: RPCError.tokenRejected, "\(changes)") {
          try bench.receive(try bench.push(changes, id: id))
        }
      }
      let long = String(repeating: "a", count: 9000)
      let push = try bench.receive(
        try bench.push(
          [
            "m": "a\u{1B}[31mb\u{202E}c", "p": .string("{\"a\":\"\(long)\"}"), "x": "[1]", "zz": ["anything"],
          ],
          id: id
        )
      )
      #expect(push.content.body == "a[31mbc" && push.content.clientContext == nil)
      #expect(push.content.applicationContext == nil)
      #expect(throws: RPCError.unrecognizedNotification) {
        try bench.receive(try bench.push(["m": .string(String(repeating: "a", count: 17_000))], id: id + "2"))
      }
    }
  }
}
