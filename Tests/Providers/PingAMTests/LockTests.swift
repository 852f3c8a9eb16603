import AMEnrolments
import Accounts
import Approvals
import ControlAPI
import EventLoop
import Fixtures
import JSON
import JSONRPC
import TestLoop
import Testing
import Vault

@testable import PingAM

@Suite("accounts locked by PingAM policies", .timeLimit(.minutes(30)))
struct LockTests {
  private static let policies = AMSample.encoded(
    #"{"biometricAvailable":{},"deviceTampering":{"score":0.5},"x":{}}"#
  )

  @EventLoop
  private static func lock(_ bench: AMBench) throws -> String? {
    let account = try #require(bench.life.accounts.list(of: AMBench.owner).first)
    try bench.life.vault.commit()
    #expect(account.isLocked == (account.lock != nil) && account.lock?.expiresAt == nil)
    return account.lock?.policy
  }

  private static func error<R>(_ body: () async throws -> R) async -> RPCError? {
    do {
      _ = try await body()
      return nil
    } catch { return RPCError(naming: error) }
  }

  @Test("an account is locked by the first policy not met, and unlocked when all are met")
  func transitions() async throws {
    let vectors = try #require(try Fixtures.json("am/policies.json")["locking"]?.array)
    try await AMBench.run { bench in
      _ = try await bench.enrol(AMSample.uri(["policies": Self.policies]))
      for vector in vectors where vector["registration"] == nil {
        let evaluation = vector["evaluate"]?.string
        bench.facts.hasBiometrics = evaluation != "fail biometricAvailable"
        bench.facts.tampering = evaluation == "fail deviceTampering" ? 0.5 : 0
        let policy = try Self.lock(bench)
        #expect(policy == vector["after"]?["lockingPolicy"]?.string)
      }
      try bench.crash()
      let kept = try bench.life.accounts.records(of: AMBench.owner).first?.lock?.policy
      #expect(kept == "biometricAvailable")
      bench.facts.hasBiometrics = true
      let opened = try Self.lock(bench)
      #expect(opened == nil)
    }
  }

  @Test("a locked account has no passcodes, no decisions and no renaming")
  func closed() async throws {
    try await AMBench.run { bench in
      let account = try await bench.enrol(AMSample.combined(["policies": Self.policies]))
      let mechanism = try #require(bench.life.am.active(of: AMBench.owner).first).mechanism
      let push = try bench.receive(try bench.push(["u": .string(mechanism)]))
      let locked = RPCError.accountLocked(AccountLock(policy: "deviceTampering", expiresAt: nil))
      bench.facts.tampering = 1
      let errors = [
        await Self.error {
          try bench.life.passcodes.passcode(of: account.id, next: false, owner: AMBench.owner)
        },
        await Self.error { try await bench.life.accounts.rename(account.id, to: "x", owner: AMBench.owner) },
        await Self.error { try await bench.approve(push.id) },
        await Self.error { try await bench.deny(push.id) },
      ]
      #expect(errors == [locked, locked, locked, locked])
      #expect(bench.requests.count == 1)
      let state = try bench.state(of: push.id)
      #expect(state == .pending)
      bench.facts.tampering = 0.4
      #expect(await Self.error { try await bench.deny(push.id) } == nil)
      let policy = try Self.lock(bench)
      #expect(policy == nil)
    }
  }
}
