import ControlAPI
import EventLoop
import JSON
import SQLite
import TestLoop
import TestNetwork
import Testing

@testable import Authenticator

@Suite("Sessions that sign-ons left", .timeLimit(.minutes(10)))
struct SessionTests {
  private static let issuer = "https://auth.example/e-1/as"

  @Test(
    "a session is kept under its issuer and user, in the place of an earlier one, and read by its owner only"
  )
  func kept() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let authenticator = bench.authenticator
      let first = try authenticator.keepSession(["t": 1], at: Self.issuer, of: "u", owner: Bench.owner)
      try authenticator.keepSession(["t": 2], at: Self.issuer, of: "v", owner: Bench.owner)
      try authenticator.keepSession(["t": 3], at: Self.issuer, of: nil, owner: Bench.owner)
      let second = try authenticator.keepSession(["t": 4], at: Self.issuer, of: "u", owner: Bench.owner)
      #expect(first.id != second.id)
      #expect(try authenticator.content(of: first, owner: Bench.owner) == nil)
      #expect(try authenticator.content(of: second, owner: Bench.owner) == ["t": 4])
      #expect(try authenticator.content(of: second, owner: 7) == nil)
      #expect(try authenticator.session(at: Self.issuer, of: nil, owner: Bench.owner) != nil)
      #expect(try authenticator.session(at: Self.issuer, of: "u", owner: 7) == nil)
      #expect(try authenticator.sessions(of: Bench.owner).count == 3)
      #expect(try authenticator.sessions(of: 7).isEmpty)
      try authenticator.forgetSession(second, owner: 7)
      #expect(try authenticator.content(of: second, owner: Bench.owner) != nil)
    }
  }

  @Test("a session that was ended is not brought back by who still changes it")
  func ended() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let authenticator = bench.authenticator
      let session = try authenticator.keepSession(["t": 1], at: Self.issuer, of: "u", owner: Bench.owner)
      try authenticator.updateSession(session, ["t": 2], owner: Bench.owner)
      #expect(try authenticator.content(of: session, owner: Bench.owner) == ["t": 2])
      try authenticator.forgetSession(session, owner: Bench.owner)
      try authenticator.updateSession(session, ["t": 3], owner: Bench.owner)
      #expect(try authenticator.sessions(of: Bench.owner).isEmpty)
    }
  }

  @Test("beyond sixty-four the one that was changed longest ago is forgotten")
  func limit() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      for number in 0..<70 {
        bench.clock.pass(.seconds(1))
        try bench.authenticator.keepSession([:], at: Self.issuer, of: "u\(number)", owner: Bench.owner)
      }
      let users = try bench.authenticator.sessions(of: Bench.owner).map(\.subject)
      #expect(users == (6..<70).reversed().map { "u\($0)" })
    }
  }

  @Test("sessions go with their owner")
  func erased() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let authenticator = bench.authenticator
      for owner in [Bench.owner, 7] {
        try authenticator.keepSession(["t": 1], at: Self.issuer, of: "u", owner: owner)
      }
      _ = try authenticator.erase(owner: Bench.owner)
      #expect(try authenticator.sessions(of: Bench.owner).isEmpty)
      #expect(try authenticator.sessions(of: 7).count == 1)
    }
  }

  @Test("a file of the first version is carried on")
  func migration() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory(inMemory: true)
      let path = directory.path + "/mfad.db"
      let old = try Database(path: path)
      try old.migrate(Array(Migrations.all.prefix(1)))
      try old.run("INSERT INTO owner (uid, geo, created_at) VALUES (1000, 'Europe', 0)")
      let database = try Database(path: path)
      try database.migrate(Migrations.all)
      #expect(try database.row("SELECT geo FROM owner WHERE uid = 1000") { $0.text(0) } == "Europe")
      #expect(try database.row("SELECT count(*) FROM session") { $0.int(0) } == 0)
    }
  }
}
