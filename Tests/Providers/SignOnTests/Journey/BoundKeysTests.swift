import ControlAPI
import EventLoop
import Glibc
import JOSE
import JSON
import JSONRPC
import OpenSSL
import SQLite
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import SignOn

@Suite("bound keys", .timeLimit(.minutes(30)))
struct BoundKeysTests {
  private static let server = "https://am.example/am/json/realms/root/authenticate"
  private static let other = "https://am.example/am/json/realms/root/realms/alpha/authenticate"
  private static let challenge = KeyChallenge("c", issuer: "mfad", lifetime: 60)

  private static func run(_ body: @escaping @EventLoop @Sendable (Bench) async throws -> Void) async throws {
    try await TestLoop.run { try await body(try Bench(inMemory: true)) }
  }

  @EventLoop
  private static func make(
    _ bench: Bench,
    _ user: String = "id=bob",
    at server: String = server,
    owner: uid_t = Bench.owner
  ) throws -> BoundKey {
    bench.clock.pass(.seconds(1))
    return try bench.boundKeys.make(for: user, named: "bob", at: server, owner: owner)
  }

  @Test("a key belongs to one user, realm and owner, and signs after a restart")
  func kept() async throws {
    try await Self.run { bench in
      let first = try Self.make(bench)
      let second = try Self.make(bench, "id=ann")
      let alpha = try Self.make(bench, at: Self.other)
      let stranger = try Self.make(bench, owner: 7)
      #expect(try bench.boundKeys.keys(at: Self.server, of: Bench.owner) == [second, first])
      #expect(try bench.boundKeys.keys(at: Self.other, of: Bench.owner) == [alpha])
      #expect(try bench.boundKeys.keys(at: Self.server, of: 7) == [stranger])
      #expect(try bench.boundKeys.keys(at: "\(Self.server)/", of: Bench.owner).isEmpty)
      let introduced = try CompactJWS(
        parsing: bench.boundKeys.proof(of: Self.challenge, by: first, introducesKey: true)
      )
      let jwk = try JWK(#require(introduced.header.jwk))
      try bench.life.vault.commit()
      try bench.crash()
      let again = try #require(try bench.boundKeys.keys(at: Self.server, of: Bench.owner).last)
      #expect(again == first)
      let signed = try bench.boundKeys.proof(of: Self.challenge, by: again, introducesKey: false)
      let claims = try CompactJWS(parsing: signed).verified(with: jwk, allowing: [.es256]).claims()
      #expect(claims["sub"] == "id=bob" && claims["challenge"] == "c")
    }
  }

  @Test("a key is not found for another owner")
  func foreign() async throws {
    try await Self.run { bench in
      let key = try Self.make(bench)
      let claimed = BoundKey(
        id: key.id,
        owner: 7,
        server: key.server,
        user: key.user,
        userName: key.userName,
        createdAt: key.createdAt
      )
      #expect(throws: RPCError.noSuch("key")) {
        _ = try bench.boundKeys.proof(of: Self.challenge, by: claimed, introducesKey: false)
      }
      try bench.boundKeys.discard(claimed)
      #expect(try bench.boundKeys.keys(at: Self.server, of: Bench.owner) == [key])
      try bench.boundKeys.discard(key)
      #expect(try bench.boundKeys.keys(at: Self.server, of: Bench.owner).isEmpty)
    }
  }

  @Test("erasing an owner deletes their keys")
  func erased() async throws {
    try await Self.run { bench in
      let key = try Self.make(bench)
      let stranger = try Self.make(bench, owner: 7)
      try await bench.life.owners.erase(Bench.owner)
      #expect(try bench.boundKeys.keys(at: Self.server, of: Bench.owner).isEmpty)
      #expect(try bench.boundKeys.keys(at: Self.server, of: 7) == [stranger])
      #expect(throws: RPCError.noSuch("key")) {
        _ = try bench.boundKeys.proof(of: Self.challenge, by: key, introducesKey: false)
      }
    }
  }

  @Test("a key is sealed in the database, and a key moved to another row cannot be opened")
  func sealed() async throws {
    try await Self.run { bench in
      let key = try Self.make(bench, "id=conspicuous")
      let user = try bench.life.vault.database.row("SELECT user FROM bound_key") { $0.blob(0) }
      #expect(try #require(user).firstRange(of: Array("conspicuous".utf8)) == nil)
      let second = try Self.make(bench, "id=other")
      try bench.life.vault.write {
        try $0.run(
          "UPDATE bound_key SET private_key = (SELECT private_key FROM bound_key WHERE id = ?) WHERE id = ?",
          .text(key.id),
          .text(second.id)
        )
      }
      #expect(throws: RPCError.noSuch("key")) {
        _ = try bench.boundKeys.proof(of: Self.challenge, by: second, introducesKey: false)
      }
      #expect(!(try bench.boundKeys.proof(of: Self.challenge, by: key, introducesKey: false)).isEmpty)
    }
  }

  @Test("a new key evicts none, and an accepted key evicts the oldest unaccepted one")
  func accepted() async throws {
    try await Self.run { bench in
      var keys = try (0..<4).map { _ in try Self.make(bench) }
      try bench.boundKeys.accept(keys[0])
      let stranger = try Self.make(bench, "id=ann")
      keys.append(try Self.make(bench))
      @EventLoop func ids() throws -> [String] {
        try bench.boundKeys.keys(at: Self.server, of: Bench.owner).map(\.id)
      }
      #expect(try ids() == [keys[4], stranger, keys[3], keys[2], keys[1], keys[0]].map(\.id))
      try bench.boundKeys.accept(keys[4])
      #expect(try ids() == [keys[4], stranger, keys[3], keys[2], keys[0]].map(\.id))
      try bench.boundKeys.accept(keys[0])
      #expect(try ids().count == 5)
    }
  }

  @Test("a user has at most four accepted keys at a server, and then no new one is created")
  func limit() async throws {
    try await Self.run { bench in
      for _ in 0..<4 { try bench.boundKeys.accept(try Self.make(bench)) }
      let keys = try bench.boundKeys.keys(at: Self.server, of: Bench.owner)
      #expect(keys.count == 4 && keys.allSatisfy(\.isAccepted))
      #expect(throws: RPCError.quota(4, "keys for this user")) { _ = try Self.make(bench) }
      #expect(try bench.boundKeys.keys(at: Self.server, of: Bench.owner) == keys)
      _ = try (Self.make(bench, "id=ann"), Self.make(bench, at: Self.other), Self.make(bench, owner: 7))
    }
  }

  @Test("an owner has at most sixty-four keys")
  func total() async throws {
    try await Self.run { bench in
      let keys = try (0..<5).map { _ in try Self.make(bench) }
      for number in 0..<59 { _ = try Self.make(bench, "id=\(number)") }
      let full = RPCError.quota(64, "keys")
      #expect(throws: full) { _ = try Self.make(bench) }
      #expect(throws: full) { _ = try Self.make(bench, at: Self.other) }
      _ = try Self.make(bench, owner: 7)
      try bench.boundKeys.accept(keys[0])
      _ = try Self.make(bench, at: Self.other)
    }
  }

  @Test("keys count towards their owner's storage quota")
  func quota() async throws {
    try await Self.run { bench in
      let before = try bench.life.quota.measured(Bench.owner)
      _ = try Self.make(bench)
      #expect(try bench.life.quota.measured(Bench.owner) > before)
      #expect(try bench.life.quota.measured(7) == 0)
    }
  }
}
