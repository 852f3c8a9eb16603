import ControlAPI
import EventLoop
import JSON
import SQLite
import TestLoop
import TestNetwork
import TestPlatform
import Testing
import Vault

@testable import SignOn

@Suite("kept sessions", .timeLimit(.minutes(30)))
struct SessionTests {
  private static let issuer = "https://auth.example/e-1/as"

  @Test(
    "a session is kept per issuer and user, replaces an earlier one and is private to its owner"
  )
  func kept() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let life = bench.life
      let first = try life.sessions.keep(["t": 1], at: Self.issuer, of: "u", owner: Bench.owner)
      try life.sessions.keep(["t": 2], at: Self.issuer, of: "v", owner: Bench.owner)
      try life.sessions.keep(["t": 3], at: Self.issuer, of: nil, owner: Bench.owner)
      let second = try life.sessions.keep(["t": 4], at: Self.issuer, of: "u", owner: Bench.owner)
      #expect(first.id != second.id)
      #expect(try life.sessions.content(of: first, owner: Bench.owner) == nil)
      #expect(try life.sessions.content(of: second, owner: Bench.owner) == ["t": 4])
      #expect(try life.sessions.content(of: second, owner: 7) == nil)
      #expect(try life.sessions.session(at: Self.issuer, of: nil, owner: Bench.owner) != nil)
      #expect(try life.sessions.session(at: Self.issuer, of: "u", owner: 7) == nil)
      #expect(try life.sessions.list(of: Bench.owner).count == 3)
      #expect(try life.sessions.list(of: 7).isEmpty)
      try life.sessions.forget(second, owner: 7)
      #expect(try life.sessions.content(of: second, owner: Bench.owner) != nil)
    }
  }

  @Test("a locked owner does not see the users of sessions")
  func locked() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try bench.life.sessions.keep([:], at: Self.issuer, of: "ann", owner: Bench.owner)
      #expect(try bench.life.sessions.shown(to: Bench.owner).map(\.subject) == ["ann"])
      try await bench.life.lock.set("280491", current: nil, owner: Bench.owner)
      #expect(try bench.life.sessions.shown(to: Bench.owner).map(\.subject) == [nil])
    }
  }

  @Test("a concurrent update does not restore an ended session")
  func ended() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let life = bench.life
      let session = try life.sessions.keep(["t": 1], at: Self.issuer, of: "u", owner: Bench.owner)
      try life.sessions.update(session, ["t": 2], owner: Bench.owner)
      #expect(try life.sessions.content(of: session, owner: Bench.owner) == ["t": 2])
      try life.sessions.forget(session, owner: Bench.owner)
      try life.sessions.update(session, ["t": 3], owner: Bench.owner)
      #expect(try life.sessions.list(of: Bench.owner).isEmpty)
    }
  }

  @Test("beyond sixty-four sessions the least recently changed one is deleted")
  func limit() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      for number in 0..<70 {
        bench.clock.pass(.seconds(1))
        try bench.sessions.keep([:], at: Self.issuer, of: "u\(number)", owner: Bench.owner)
      }
      let users = try bench.sessions.list(of: Bench.owner).map(\.subject)
      #expect(users == (6..<70).reversed().map { "u\($0)" })
    }
  }

  @Test("sessions are deleted with their owner")
  func erased() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let life = bench.life
      for owner in [Bench.owner, 7] {
        try life.sessions.keep(["t": 1], at: Self.issuer, of: "u", owner: owner)
      }
      _ = try await life.owners.erase(Bench.owner)
      #expect(try life.sessions.list(of: Bench.owner).isEmpty)
      #expect(try life.sessions.list(of: 7).count == 1)
    }
  }
}
