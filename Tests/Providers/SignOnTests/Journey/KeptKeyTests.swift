import ControlAPI
import CourierProtocol
import EventLoop
import JOSE
import JSON
import JSONRPC
import SQLite
import Testing
import Vault

@testable import SignOn

@Suite("fate of keys that journeys bind", .timeLimit(.minutes(30)))
struct KeptKeyTests {
  @Test("a key that the server cannot know is deleted, and one that it may know is sent again")
  func brokenOff() async throws {
    try await JourneyBench.play(KeyCallbacks.binding(), then: []) { bench, node in
      bench.failure = .refused
      await #expect(throws: RPCError.self) { try await bench.next(node, action: "bind") }
      #expect(try bench.keys().isEmpty)
      bench.failure = .timeout
      await #expect(throws: RPCError.self) { try await bench.next(node, action: "bind") }
      let key = try #require(try bench.keys().first)
      bench.failure = .unresolved
      // The server cannot know the key from this request, but may know it from the previous one.
      await #expect(throws: RPCError.self) { try await bench.next(node, action: "bind") }
      #expect(try bench.keys() == [key])
      bench.lines = [.session]
      _ = try await bench.next(node, action: "bind")
      #expect(try bench.keys().map(\.id) == [key.id] && bench.toldToken().header.keyID == key.id)
      #expect(
        try bench.audited().map { String($0.split(separator: " ").last ?? "") }
          == ["NO_CONNECTIVITY", "NO_CONNECTIVITY", "NO_CONNECTIVITY", "ok"]
      )
    }
  }

  @Test("a step after a binding keeps the key, and its own binding creates another one")
  func askedAgain() async throws {
    let again = CourierResponse.step(KeyCallbacks.binding())
    try await JourneyBench.play(KeyCallbacks.binding(), then: [again, .refusal]) { bench, node in
      let next = try await bench.next(node, action: "bind")
      let first = try bench.keys()
      #expect(first.count == 1 && next.outcome == .next)
      #expect(try await bench.next(next, action: "bind").outcome == .failure)
      let keys = try bench.keys()
      #expect(keys.count == 2 && keys.last == first[0] && !keys.contains(where: \.isAccepted))
      #expect(
        try bench.audited() == [
          "journey.bind \(keys[1].id) ASKED_AGAIN", "journey.bind \(keys[0].id) LOGIN_FAILED",
        ]
      )
    }
  }

  @Test("a rejected binding evicts no key, and a continued one evicts the oldest")
  func evicted() async throws {
    for line in [CourierResponse.refusal, .step(Callbacks.name)] {
      try await JourneyBench.play(KeyCallbacks.binding(), then: [line]) { bench, node in
        let older = try (0..<4).map { _ in try bench.makeKey().id }
        let isRefused = try await bench.next(node, action: "bind").outcome == .failure
        let keys = try bench.keys()
        #expect(keys.dropFirst().map(\.id) == (isRefused ? older : Array(older.dropFirst())).reversed())
        #expect(keys.map(\.isAccepted) == [!isRefused] + keys.dropFirst().map { _ in false })
      }
    }
  }

  @Test("with four accepted keys a binding fails before any request")
  func full() async throws {
    try await JourneyBench.play(KeyCallbacks.binding()) { bench, node in
      for _ in 0..<4 { try bench.parts.boundKeys.accept(try bench.makeKey()) }
      await #expect(throws: RPCError.quota(4, "keys for this user")) {
        try await bench.next(node, action: "bind")
      }
      #expect(try bench.keys().count == 4 && bench.plays.count == 1)
    }
  }

  @Test("a key is not sent if its commit fails, and the next decision creates another")
  func uncommitted() async throws {
    try await JourneyBench.play(KeyCallbacks.binding()) { bench, node in
      let vault = bench.parts.core.vault
      // A deferred foreign key, which is checked only at commit.
      try vault.write {
        try $0.run(
          "CREATE TABLE promise (owner INTEGER REFERENCES owner (uid) DEFERRABLE INITIALLY DEFERRED)"
        )
        try $0.run(
          "CREATE TRIGGER broken AFTER INSERT ON bound_key BEGIN INSERT INTO promise VALUES (99); END"
        )
      }
      try vault.commit()
      await #expect(throws: SQLiteError.self) { try await bench.next(node, action: "bind") }
      #expect(try bench.keys().isEmpty && bench.plays.count == 1)
      try vault.write { try $0.run("DROP TRIGGER broken") }
      #expect(try await bench.next(node, action: "bind").outcome == .success)
      #expect(try bench.toldToken().header.keyID == bench.keys().first?.id)
    }
  }

  @Test("a key deleted before a repeated decision is replaced by a new one")
  func gone() async throws {
    try await JourneyBench.play(KeyCallbacks.binding(), then: []) { bench, node in
      bench.failure = .timeout
      await #expect(throws: RPCError.self) { try await bench.next(node, action: "bind") }
      let key = try #require(try bench.keys().first)
      try bench.parts.boundKeys.discard(key)
      bench.lines = [.session]
      #expect(try await bench.next(node, action: "bind").outcome == .success)
      #expect(try bench.keys().count == 1 && bench.keys().first?.id != key.id)
    }
  }
}
