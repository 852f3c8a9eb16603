import Accounts
import ControlAPI
import EventLoop
import Glibc
import JSON
import SignOn
import TestLoop
import TestPlatform
import Testing
import Time

@testable import PingOne
@testable import Vault

@Suite("Personal data in the files", .timeLimit(.minutes(30)))
struct PersonalDataTests {
  /// Returns the texts that are in the database files in clear.
  private static func found(_ texts: [String], in directory: String) throws -> [String] {
    var bytes: [UInt8] = []
    for name in ["mfad.db", "mfad.db-wal", "mfad.db-shm"] {
      let file = try #require(fopen("\(directory)/\(name)", "r"))
      defer { fclose(file) }
      var chunk = [UInt8](repeating: 0, count: 1 << 20)
      while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    }
    #expect(bytes.count > 100_000)
    return texts.filter { bytes.firstRange(of: Array($0.utf8)) != nil }
  }

  private static let names = [
    "needle-id", "needle-username", "needle@mail", "needle-given", "needle-family", "needle-nickname",
    "needle-waiting", "needle-chooser", "needle-title", "needle-subject",
  ]

  @Test("user data, nicknames and pairing requests are nowhere stored in clear")
  func sealed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.pairing.user = User(
        id: "needle-id",
        username: "needle-username",
        email: "needle@mail",
        given: "needle-given",
        family: "needle-family"
      )
      let account = try await bench.pair().account
      let renamed = try await bench.accounts.rename(account, to: "needle-nickname", owner: Bench.owner)
      #expect(renamed.label == "needle-username" && renamed.nickname == "needle-nickname")
      try bench.vault.insertPairing(
        PairingRecord(
          id: "waits",
          owner: Bench.owner,
          identity: try #require(try bench.identity()).id,
          state: .received,
          environment: "e-1",
          user: User(id: "needle-waiting", username: "needle-waiting"),
          key: "01ABCDEFGHJKMN",
          account: nil,
          expiresAt: bench.clock.now.adding(seconds: 600)
        )
      )
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).map(\.user.id) == ["needle-waiting"])
      // A push for this user, a cancellation before its push, and a code approved by one of two users.
      let push = try #require(try bench.receive(["sub": "needle-id", "title": "needle-title"])?.id)
      _ = try await bench.approve(push)
      try bench.receive(["sub": "needle-id", "type": "cancel", "cancels": "later"])
      bench.platform.code.users = [User(id: "needle-id"), User(id: "needle-chooser")]
      let code = try await bench.startCode()
      _ = try await bench.approveCode(code.id, user: "needle-chooser")
      let issuer = "https://auth.example/e-1/as"
      try bench.sessions.keep(["a": 1], at: issuer, of: "needle-subject", owner: Bench.owner)
      #expect(try bench.sessions.list(of: Bench.owner).map(\.subject) == ["needle-subject"])
      #expect(try bench.sessions.session(at: issuer, of: "needle-subject", owner: Bench.owner) != nil)
      #expect(try bench.sessions.session(at: issuer, of: nil, owner: Bench.owner) == nil)
      try bench.vault.commit()
      #expect(try Self.found(Self.names, in: bench.statePath) == [])
      // The search finds text that is not secret, which proves that it works.
      #expect(try Self.found(["NorthAmerica"], in: bench.statePath) == ["NorthAmerica"])
      try bench.crash()
      let shown = try #require(try bench.accounts.list(of: Bench.owner).first)
      #expect(shown.nickname == "needle-nickname" && shown.user?.id == "needle-id")
    }
  }
}
