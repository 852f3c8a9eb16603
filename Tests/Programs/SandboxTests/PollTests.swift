import EventLoop
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("device service: polls for several devices", .timeLimit(.minutes(30)))
struct PollTests {
  /// The entry of one device in a poll.
  private struct Member {
    let device: TestDevice
    var cursor: String?
    var key: PrivateKey?
    var id: String?
  }

  @EventLoop
  private static func poll(
    _ members: [Member],
    by speaker: TestDevice,
    provenFor other: String? = nil,
    wait: Int = 0
  )
    async throws -> Answer
  {
    let bends = TestDevice.Bends()
    let polls = try members.map { member -> JSON in
      let id = try #require(member.id ?? member.device.id)
      let proof = try CompactJWS.sign(
        payload: (["jti": .string(other ?? bends.jti), "sub": .string(id)] as JSON).serialized,
        type: "poll-proof+jwt",
        keyID: JWK(member.device.key.publicKey).thumbprint,
        with: member.key ?? member.device.key,
        algorithm: .es256
      )
      var poll: JSONObject = ["deviceId": .string(id), "proof": .string(proof)]
      poll["cursor"] = member.cursor.map { .string($0) }
      return .object(poll)
    }
    return try await speaker.call(
      "POST",
      "/polls",
      ["polls": .array(polls), "wait": .int(wait)],
      bends: bends
    )
  }

  /// Decrypts the part for a device.
  private static func part(_ answer: Answer, for device: TestDevice) throws -> JSON? {
    guard let sealed = answer.body["devices"]?[device.id ?? ""]?.string else { return nil }
    return try JSON(parsing: CompactJWE.decrypt(sealed, with: device.key, type: "poll-part+jwe"))
  }

  @Test("each device gets its own encrypted part, and devices without news are omitted")
  func parts() async throws {
    try await Bench.run { bench in
      let (ann, bob) = (try await bench.pairedDevice("ann"), try await bench.pairedDevice("bob"))
      let first = try await Self.poll([Member(device: ann), Member(device: bob)], by: ann)
      #expect(first.status == 200)
      let cursors = try [ann, bob].map { try #require(try Self.part(first, for: $0)?["cursor"]?.string) }
      _ = try await bench.startAuthentication(of: "bob")
      let members = [Member(device: ann, cursor: cursors[0]), Member(device: bob, cursor: cursors[1])]
      let second = try await Self.poll(members, by: ann, wait: 30)
      #expect(try Self.part(second, for: ann) == nil)
      let told = try #require(try Self.part(second, for: bob))
      #expect(told["notifications"]?.array?.count == 1 && told["more"] == false)
      #expect(throws: (any Error).self) {
        try CompactJWE.decrypt(
          try #require(second.body["devices"]?[bob.id ?? ""]?.string),
          with: ann.key,
          type: "poll-part+jwe"
        )
      }
    }
  }

  @Test("a long poll ends when one of its devices gets a push")
  func longPoll() async throws {
    try await Bench.run { bench in
      let (ann, bob) = (try await bench.pairedDevice("ann"), try await bench.pairedDevice("bob"))
      let first = try await Self.poll([Member(device: ann), Member(device: bob)], by: bob)
      let members = try [ann, bob].map {
        Member(device: $0, cursor: try Self.part(first, for: $0)?["cursor"]?.string)
      }
      let polling = Task { @EventLoop in try await Self.poll(members, by: bob, wait: 30) }
      try await EventLoop.sleep(for: .milliseconds(100))
      _ = try await bench.startAuthentication(of: "ann")
      #expect(try Self.part(try await polling.value, for: ann)?["notifications"]?.array?.count == 1)
    }
  }

  @Test("a device without a valid proof gets 401 and does not block the others")
  func forgeries() async throws {
    try await Bench.run { bench in
      let (ann, bob) = (try await bench.pairedDevice("ann"), try await bench.pairedDevice("bob"))
      _ = try await bench.startAuthentication(of: "bob")
      let stolen = Member(device: bob, key: ann.key)
      let unknown = Member(device: bob, id: "nobody")
      for member in [stolen, unknown] {
        let answer = try await Self.poll([Member(device: ann), member], by: ann)
        #expect(try Self.part(answer, for: ann)?["cursor"] != nil)
        #expect(answer.body["devices"]?[member.id ?? bob.id ?? ""] == ["status": 401])
      }
      let replayed = try await Self.poll([Member(device: bob)], by: ann, provenFor: "another-proof")
      #expect(replayed.body["devices"]?[bob.id ?? ""] == ["status": 401])
      let lost = try await Self.poll([Member(device: bob, cursor: "unknown")], by: ann)
      #expect(try Self.part(lost, for: bob) == ["status": 410])
      let many = Array(repeating: Member(device: bob), count: 501)
      #expect(try await Self.poll(many, by: ann).status == 400)
      #expect(try await Self.poll([], by: ann).status == 400)
    }
  }
}
