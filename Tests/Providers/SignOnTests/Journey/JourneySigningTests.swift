import ControlAPI
import CourierProtocol
import EventLoop
import JOSE
import JSON
import JSONRPC
import Testing

@testable import SignOn

@Suite("transaction signing in a journey", .timeLimit(.minutes(30)))
struct JourneySigningTests {
  private static func play(
    _ changes: JSONObject = [:],
    preparing prepare: @escaping @EventLoop @Sendable (JourneyBench) throws -> Void = { try $0.makeKey() },
    _ body: @escaping @EventLoop @Sendable (JourneyBench, Node) async throws -> Void
  ) async throws {
    try await JourneyBench.run([.step(KeyCallbacks.signing(changes)), .session]) { bench in
      try prepare(bench)
      try await body(bench, try await bench.start())
    }
  }

  /// Returns the public key of a bound key, as a binding shows it.
  @EventLoop
  private static func publicKey(_ key: BoundKey, _ bench: JourneyBench) throws -> JSON {
    let challenge = KeyChallenge("c", issuer: "mfad", lifetime: 60)
    let token = try bench.parts.boundKeys.proof(of: challenge, by: key, introducesKey: true)
    return try #require(try CompactJWS(parsing: token).header.jwk)
  }

  @Test("the user's key signs the challenge after approval")
  func signed() async throws {
    try await Self.play { bench, node in
      #expect(node.actions == ["sign", "decline"] && node.page.actions[0].label == "Sign as bob")
      #expect(
        node.shown == [
          "https://am.example says:", "> Is it you?",
          """
          A key of this machine will prove to https://am.example that "bob" signs on. It signs a random number of the \
          server's:
          > \(KeyCallbacks.challenge)
          """,
        ]
      )
      for action in [nil, "submit", "bind", "sign:x"] {
        await #expect(throws: RPCError.self) { try await bench.next(node, action: action) }
      }
      #expect(bench.plays.count == 1)
      #expect(try await bench.next(node, action: "sign").outcome == .success)
      let key = try bench.keys()[0]
      let (header, claims) = try bench.toldToken(verifiedBy: try Self.publicKey(key, bench))
      #expect(header.keyID == key.id && header.jwk == nil && header.type == "JWS" && key.isAccepted)
      #expect(claims["sub"]?.string == KeyCallbacks.user && claims["platform"] == "linux")
      #expect(claims["challenge"]?.string == KeyCallbacks.challenge && claims["iss"] == "mfad")
      #expect(try bench.told()["clientError"] == "")
      #expect(try bench.audited() == ["journey.sign \(key.id) ok"])
    }
  }

  @Test("a signature that the server rejects is audited, and its key is not accepted")
  func refused() async throws {
    try await Self.play { bench, node in
      bench.lines = [.refusal]
      #expect(try await bench.next(node, action: "sign").outcome == .failure)
      let key = try bench.keys()[0]
      #expect(try bench.audited() == ["journey.sign \(key.id) LOGIN_FAILED"] && !key.isAccepted)
    }
  }

  @Test("a declined signature sends Abort")
  func declined() async throws {
    try await Self.play { bench, node in
      _ = try await bench.next(node, action: "decline")
      #expect(try bench.told() == ["jws": "", "clientError": "Abort"])
      #expect(try bench.audited() == ["journey.sign - DENIED"])
    }
  }

  @Test("a text challenge is shown in full before it is signed")
  func text() async throws {
    let text = "Pay 12.50 EUR to <b>Eve</b>\nfor \"nothing\""
    try await Self.play(["challenge": .string(text)]) { bench, node in
      #expect(
        node.shown.last?.hasSuffix(
          " It signs this text:\n> Pay 12.50 EUR to <b>Eve</b>\n> for \"nothing\""
        ) == true
      )
      _ = try await bench.next(node, action: "sign")
      let key = try Self.publicKey(try bench.keys()[0], bench)
      #expect(try bench.toldToken(verifiedBy: key).claims["challenge"]?.string == text)
    }
    let endless = Array(repeating: "a", count: 21).joined(separator: "\n")
    for challenge in [
      String(repeating: "c", count: 10_000), "a\u{1B}[2Jb", "a\r\nb", "\u{202E}", "", " ", "a\n\nb", "a\n",
      "a\n \u{3164}\u{2800}\nb", endless,
    ] {
      try await Self.play(["challenge": .string(challenge)]) { bench, node in
        #expect(node.actions == ["submit"])
        _ = try await bench.next(node)
        #expect(try bench.told() == ["jws": "", "clientError": "Unsupported"])
      }
    }
  }

  @Test(
    "a challenge is called a random number only if it has that form, and is always shown",
    arguments: [
      ("PayAllTheMoneyOfBobToEveAtOnceAndTellNobodyA=", false),
      ("PayAllTheMoneyOfBobToEveAtOnceAndTellNobodA=", true),
      ("PayAllTheMoneyOfBobToEveAtOnceAndTellNobodB=", false),
      (String(repeating: "\u{EA}", count: 21) + "A=", false),
      ("PayAllTheMoneyOfBobToEveAtOnceAndTellNobo_A=", false),
      (String(repeating: "+/", count: 21) + "A=", true),
      (Array(repeating: "a", count: 20).joined(separator: "\n"), false),
    ]
  )
  func shown(text: String, isRandom: Bool) async throws {
    try await Self.play(["challenge": .string(text)]) { bench, node in
      let lines = node.shown.last?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
      #expect(lines.first?.hasSuffix(isRandom ? " a random number of the server's:" : " this text:") == true)
      #expect(lines.dropFirst().map { String($0.dropFirst(2)) }.joined(separator: "\n") == text)
      #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("> ") })
    }
  }

  @Test("a key of another user, realm or owner does not sign")
  func foreign() async throws {
    let alpha = "https://am.example/am/json/realms/root/authenticate"
    try await Self.play(preparing: { bench in
      try bench.makeKey("id=eve")
      try bench.makeKey(at: alpha)
      try bench.makeKey(at: "https://other.example/am/json/realms/root/realms/alpha/authenticate")
      try bench.makeKey(owner: 7)
    }) { bench, node in
      #expect(node.actions == ["submit"])
      #expect(node.shown.last == "no key of this machine is bound for this user")
      for action in ["sign", "sign:\(try bench.keys()[0].id)"] {
        await #expect(throws: RPCError.self) { try await bench.next(node, action: action) }
      }
      _ = try await bench.next(node)
      #expect(try bench.told() == ["jws": "", "clientError": "ClientNotRegistered"])
    }
  }

  @Test(
    "without a user id any key of the realm can sign, and the user chooses between several",
    arguments: ["", nil]
  )
  func anybody(user: String?) async throws {
    let changes: JSONObject = ["userId": user.map { .string($0) } ?? .null]
    try await Self.play(changes, preparing: { _ in }) { bench, node in
      #expect(node.shown.last == "no key of this machine is bound at this server")
    }
    try await Self.play(changes, preparing: { try $0.makeKey("id=ann", named: "ann") }) { bench, node in
      #expect(node.actions == ["sign", "decline"] && node.page.actions[0].label == "Sign as ann")
      _ = try await bench.next(node, action: "sign")
      let key = try Self.publicKey(try bench.keys()[0], bench)
      #expect(try bench.toldToken(verifiedBy: key).claims["sub"] == "id=ann")
    }
    try await Self.play(
      changes,
      preparing: { bench in
        try bench.makeKey("id=ann", named: "ann")
        try bench.makeKey("id=bob", named: "bob")
      }
    ) { bench, node in
      let keys = try bench.keys()
      #expect(node.actions == keys.map { "sign:\($0.id)" } + ["decline"])
      #expect(node.page.actions[1].label.hasPrefix("Sign as ann, by the key of 20"))
      #expect(node.shown.last?.contains("that the user of your choice signs on") == true)
      _ = try await bench.next(node, action: "sign:\(keys[1].id)")
      let key = try Self.publicKey(keys[1], bench)
      #expect(try bench.toldToken(verifiedBy: key).claims["sub"] == "id=ann")
    }
  }

  @Test("each of a user's several keys can be chosen")
  func several() async throws {
    try await Self.play(preparing: { bench in
      try bench.makeKey()
      try bench.makeKey()
    }) { bench, node in
      let keys = try bench.keys()
      #expect(node.actions == keys.map { "sign:\($0.id)" } + ["decline"])
      _ = try await bench.next(node, action: "sign:\(keys[1].id)")
      #expect(try bench.toldToken(verifiedBy: Self.publicKey(keys[1], bench)).header.keyID == keys[1].id)
    }
  }

  @Test("a key deleted meanwhile signs nothing, and the step remains")
  func gone() async throws {
    try await Self.play { bench, node in
      try bench.parts.boundKeys.discard(try bench.keys()[0])
      await #expect(throws: RPCError.noSuch("key")) { try await bench.next(node, action: "sign") }
      #expect(bench.plays.count == 1)
      _ = try await bench.next(node, action: "decline")
      #expect(try bench.told()["clientError"] == "Abort")
    }
  }
}
