import EventLoop
import JSON
import Testing

@Suite("authentication codes", .timeLimit(.minutes(30)))
struct AuthenticationCodeTests {
  @EventLoop
  private func create(_ bench: Bench, _ more: JSONObject = [:]) async throws -> Answer {
    var body: JSONObject = ["application": ["id": bench.about["application"] ?? .null]]
    for member in more.members { body[member.name] = member.value }
    let answer = try await bench.send("POST", "/ENV/authenticationCodes", .object(body))
    return answer
  }

  @EventLoop
  private func read(_ bench: Bench, _ created: Answer) async throws -> Answer {
    try await bench.send("GET", "/ENV/authenticationCodes/\(try #require(created.body["id"]?.string))")
  }

  @EventLoop
  private func claim(_ device: TestDevice, _ created: Answer) async throws -> Answer {
    let code = try #require(created.body["code"]?.string)
    return try await device.call("POST", "/authentication-codes/\(code)/claim")
  }

  @EventLoop
  private func decide(
    _ device: TestDevice,
    _ claimed: Answer,
    _ decision: String,
    user: String?
  ) async throws -> Answer {
    let request = try #require(claimed.body["requestId"]?.string)
    var claims: JSONObject = ["decision": .string(decision), "requestId": .string(request)]
    claims["userId"] = user.map { .string($0) }
    let token = try device.sign(claims, type: "decision+jwt")
    return try await device.call(
      "POST",
      "/authentication-codes/\(request)/answer",
      ["decision": .string(token)]
    )
  }

  @Test("a claim signs on a single user if no approval is required")
  func immediate() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let context: JSON = ["header": "Till 4"]
      let created = try await create(bench, ["userApproval": "NOT_REQUIRED", "clientContext": context])
      #expect(created.status == 201)
      #expect(created.body["status"] == "UNCLAIMED")
      let code = try #require(created.body["code"]?.string)
      #expect(code.utf8.count == 8)
      #expect(created.body["uri"]?.string == "pingonesdk?authentication_code=\(code)")
      let claimed = try await claim(device, created)
      #expect(claimed.body["status"] == "COMPLETED")
      #expect(claimed.body["needsApproval"]?.bool == false)
      #expect(claimed.body["clientContext"] == context)
      let again = try await claim(device, created)
      #expect(again.body == claimed.body)
      let completed = try await read(bench, created)
      #expect(completed.body["status"] == "COMPLETED")
      #expect(completed.body["user"]?["id"]?.string == (try bench.user("ann").id))
    }
  }

  @Test("a device that requires approval is not signed on by the claim")
  func askingOwner() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let created = try await create(bench, ["userApproval": "NOT_REQUIRED"])
      let code = try #require(created.body["code"]?.string)
      let asking: JSON = ["userApproval": "REQUIRED"]
      let claimed = try await device.call("POST", "/authentication-codes/\(code)/claim", asking)
      #expect(claimed.body["status"] == "CLAIMED")
      #expect(claimed.body["needsApproval"]?.bool == true)
      let approved = try await decide(device, claimed, "approve", user: try bench.user("ann").id)
      #expect(approved.body["status"] == "COMPLETED")
    }
  }

  @Test("the approving one of several users is signed on")
  func severalUsers() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann", "bob")
      let created = try await create(bench, ["userApproval": "NOT_REQUIRED"])
      let claimed = try await claim(device, created)
      #expect(claimed.body["status"] == "CLAIMED")
      #expect(claimed.body["users"]?.array?.count == 2)
      let nobody = try await decide(device, claimed, "approve", user: nil)
      #expect(nobody.status == 400)
      let stranger = try await decide(device, claimed, "approve", user: "x")
      #expect(stranger.code == "DEVICE_IS_NOT_PAIRED")
      let bob = try bench.user("bob").id
      for _ in 0..<2 {
        let approved = try await decide(device, claimed, "approve", user: bob)
        #expect(approved.body["status"] == "COMPLETED")
      }
      let other = try await decide(device, claimed, "deny", user: nil)
      #expect(other.status == 409)
      let completed = try await read(bench, created)
      #expect(completed.body["user"]?["id"]?.string == bob)
    }
  }

  @Test("a denial is reported")
  func denial() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let created = try await create(bench)
      let claimed = try await claim(device, created)
      #expect(claimed.body["userApproval"] == "REQUIRED")
      let denied = try await decide(device, claimed, "deny", user: nil)
      #expect(denied.body["status"] == "DENIED")
      let read = try await read(bench, created)
      #expect(read.body["status"] == "DENIED")
    }
  }

  @Test("an unknown or expired code, or one of another device, is rejected")
  func refusals() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let other = try await bench.pairedDevice("bob")
      let unpaired = try await bench.trustedDevice()
      let unknown = try await device.call("POST", "/authentication-codes/AAAAAAAA/claim")
      #expect(unknown.code == "AUTHENTICATION_CODE_INVALID")
      let created = try await create(bench)
      let early = try await claim(unpaired, created)
      #expect(early.code == "DEVICE_IS_NOT_PAIRED")
      let claimed = try await claim(device, created)
      let second = try await claim(other, created)
      #expect(second.status == 404 && second.code == "AUTHENTICATION_CODE_INVALID")
      let unclaimed = try await create(bench)
      let mismatch = try await decide(other, claimed, "deny", user: nil)
      #expect(mismatch.status == 403)
      try await bench.advance(seconds: 61)
      let late = try await decide(device, claimed, "deny", user: nil)
      #expect(late.status == 410)
      let over = try await claim(device, unclaimed)
      #expect(over.code == "AUTHENTICATION_CODE_INVALID")
      let expired = try await read(bench, created)
      #expect(expired.body["status"] == "EXPIRED")
    }
  }

  @Test("the code's lifetime is limited", arguments: [(9, "SECONDS"), (31, "MINUTES"), (1, "DAYS")])
  func lifeTime(_ duration: Int, _ unit: String) async throws {
    try await Bench.run { bench in
      let bad: JSON = ["duration": .int(duration), "timeUnit": .string(unit)]
      let refused = try await create(bench, ["lifeTime": bad])
      #expect(refused.status == 400)
      let half = try await create(bench, ["lifeTime": ["duration": 30]])
      #expect(half.status == 400)
      let good = try await create(bench, ["lifeTime": ["duration": 30, "timeUnit": "MINUTES"]])
      #expect(good.status == 201)
      let path = "/ENV/authenticationCodes/\(try #require(good.body["id"]?.string))"
      let deleted = try await bench.send("DELETE", path)
      #expect(deleted.status == 204)
      let gone = try await bench.send("GET", path)
      #expect(gone.status == 404)
    }
  }
}
