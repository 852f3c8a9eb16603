import Accounts
import Approvals
import ControlAPI
import EventLoop
import JSON
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import PingAM

@Suite("replayed pushes of PingAM servers", .timeLimit(.minutes(30)))
struct ReplayTests {
  /// The same push under its own id and under another.
  ///
  /// A transport can choose the id.
  @EventLoop
  private static func copies(_ bench: AMBench, _ claims: JSONObject) throws -> [JSON] {
    var claims = claims
    claims["c"] = .string(AMBench.challenge)
    return try [AMBench.messageID, "AUTHENTICATE:another"].map { try bench.push(claims, id: $0) }
  }

  @EventLoop
  private static func expectSpent(_ copies: [JSON], on bench: AMBench) throws {
    for (index, copy) in copies.enumerated() {
      #expect(try bench.receive(copy).state == .cancelled, "\(index)")
    }
    #expect(try bench.life.approvals.pendingCount(of: AMBench.owner) == 0)
  }

  @Test("an answered push is not pending again under any id after its account is enrolled again")
  func removed() async throws {
    for isApproved in [true, false] {
      try await AMBench.run { bench in
        let account = try bench.own()
        let copies = try Self.copies(bench, ["t": "3600"])
        let push = try bench.receive(copies[0])
        _ = isApproved ? try await bench.approve(push.id) : try await bench.deny(push.id)
        _ = try await bench.life.accounts.remove(account, localOnly: true, owner: AMBench.owner)
        try bench.own()
        try Self.expectSpent(copies, on: bench)
      }
    }
  }

  @Test("an answered push without a time is not pending again after its row is deleted")
  func timeless() async throws {
    try await AMBench.run(configuration: AMBench.configuration + "\nretention_days = 1") { bench in
      try bench.own()
      let copies = try Self.copies(bench, ["i": .null])
      _ = try await bench.approve(try bench.receive(copies[0]).id)
      bench.clock.pass(.seconds(365 * 86_400))
      bench.life.retention.start()
      try Self.expectSpent(copies, on: bench)
    }
  }

  @Test("a push dated in the future is not pending again after it expires")
  func early() async throws {
    try await AMBench.run { bench in
      let account = try bench.own()
      let ahead = bench.clock.now.milliseconds + 7200 * 1000
      let push = try bench.push(["i": .string("\(ahead)")])
      #expect(try bench.receive(push).state == .pending)
      _ = try await bench.life.accounts.remove(account, localOnly: true, owner: AMBench.owner)
      try bench.own()
      bench.clock.pass(.seconds(3600))
      bench.life.retention.start()
      #expect(try bench.receive(push).state == .cancelled)
    }
  }
}
