import Accounts
import Approvals
import ControlAPI
import EventLoop
import JSON
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Seals of approvals under the guard key")
struct GuardSealTests {
  private static let pin = "280491"

  @Test("an approval without the seal of the guard key is not submitted", arguments: [false, true])
  func missingSeal(isRemoved: Bool) async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      try await bench.lock.set(Self.pin, current: nil, owner: Bench.owner)
      _ = try await bench.lock.unlock(Self.pin, seconds: 300, owner: Bench.owner)
      let id = try #require(try bench.receive()?.id)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) { try await bench.approve(id) }
      if isRemoved { try bench.vault.write { _ = try $0.run("UPDATE approval SET guard_seal = NULL") } }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      for _ in 0..<3 { await bench.pass(.seconds(5)) }
      #expect(bench.platform.decisions.count == (isRemoved ? 0 : 1))
      #expect(bench.vault.sealer.damage.count(of: Bench.owner) == (isRemoved ? 1 : 0))
    }
  }

  @Test("an approval in delivery is still submitted after its owner sets a PIN")
  func pinDuringDelivery() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) { try await bench.approve(id) }
      try await bench.lock.set(Self.pin, current: nil, owner: Bench.owner)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      _ = try await bench.lock.unlock(Self.pin, seconds: 300, owner: Bench.owner)
      for _ in 0..<3 { await bench.pass(.seconds(5)) }
      #expect(try bench.state(of: id) == .approved)
    }
  }
}
