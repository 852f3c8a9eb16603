import Accounts
import ControlAPI
import EventLoop
import Fixtures
import Glibc
import Interleaving
import JSONRPC
import TestLoop
import TestPlatform
import Testing
import Time

@testable import PingOne
@testable import Vault

/// One device.
///
/// A seed determines the actions of its owner's clients, platform, network and machine.
@EventLoop
private final class RotationScenario: Scenario {
  private let bench: Bench
  private let owner = Bench.owner
  private var gate: PlatformGate
  var numbers: SeededNumbers
  private var account = ""
  var story: [String]
  private let isForgetful: Bool
  private var isForgotten = false

  init(_ seed: UInt64, on bench: Bench) {
    self.bench = bench
    numbers = SeededNumbers(seed)
    story = ["seed \(seed)"]
    isForgetful = Int.random(in: 0..<3, using: &numbers) == 0
    gate = Self.gate(bench)
  }

  private static func gate(_ bench: Bench) -> PlatformGate {
    Gate(bench.platform) { call, _ in
      switch call {
      case .rotateKeys, .setNickname: true
      default: false
      }
    }
  }

  func run() async throws {
    account = try await bench.pair().account
    for _ in 0..<Int.random(in: 3...20, using: &numbers) {
      try await step()
      try look()
    }
    bench.platform.refusesKeys = false
    await gate.releaseAll()
    try look()
    try await rest()
    try bench.vault.eraseRows(of: owner)
    try bench.crash()
  }

  private func step() async throws {
    let life = bench.life
    let (owner, account) = (owner, account)
    switch Int.random(in: 0..<24, using: &numbers) {
    case 0..<4:
      story.append("new keys")
      EventLoop.task { _ = try? await life.devices.rotateKeys(of: owner) }
    case 4..<8:
      story.append("a call")
      EventLoop.task { _ = try? await life.accounts.rename(account, to: "n", owner: owner) }
    case 8, 9: try await crash()
    case 10:
      bench.platform.refusesKeys.toggle()
      story.append("new keys are \(bench.platform.refusesKeys ? "refused" : "taken")")
    case 11, 12:
      // The platform has seen a proof by the next key, but the state is older than that proof.
      guard let identity = try identity(), let next = identity.nextKeyID,
        (try? bench.platform.see(next, of: identity)) != nil
      else { return }
      story.append("a proof by the new keys was seen")
    case 13 where isForgetful:
      story.append("the device is forgotten")
      isForgotten = true
      bench.platform.forgetDevices()
    default: await release()
    }
    await settle()
  }

  private func release() async {
    await release(from: gate) { _ in [nil, nil, .outOfReach, .brokenDown] }
  }

  private func crash() async throws {
    story.append("crash")
    gate.abandon()
    gate = Self.gate(bench)
    try bench.crash()
    // As at a start.
    bench.devices.startRotating()
  }

  private func identity() throws -> Identity? {
    try bench.devices.identities(of: owner).first
  }

  /// Checks that memory equals the disk and that the platform accepts one of the stored keys.
  private func look() throws {
    let stored = try IdentityTable(bench.vault).all(of: owner)
    let disk = try #require(stored.first, comment)
    let memory = try #require(try identity(), comment)
    #expect(disk == memory, comment)
    let states = try bench.accounts.list(of: owner).map(\.state)
    guard disk.deviceID != nil else {
      #expect(isForgotten && states == [.known(.revoked)], comment)
      return
    }
    #expect(states == [.known(.active)], comment)
    guard bench.platform.key(of: disk) != nil else {
      #expect(isForgotten, comment)
      return
    }
    let keys = [disk.keyID, disk.nextKeyID].compactMap(\.self)
    #expect(keys.contains { bench.platform.takes($0, of: disk) }, comment)
  }

  /// Checks that one rotation completes when the network works.
  private func rest() async throws {
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    if Bool.random(using: &numbers) { try await crash() }
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    await settle()
    let before = try #require(try identity()).keyID
    _ = try? await bench.devices.rotateKeys(of: owner)
    try look()
    let identity = try #require(try identity())
    if isForgotten {
      #expect(identity.deviceID == nil, comment)
      #expect(try await bench.pair().account != account, comment)
      return
    }
    #expect(identity.nextKeyID == nil && identity.keyID != before, comment)
    _ = try await bench.accounts.rename(account, to: "n", owner: owner)
    #expect(bench.platform.key(of: identity) == identity.keyID, comment)
  }

  private var comment: Comment { "\(story.joined(separator: "; "))" }
}

@Suite("device keys under random interleavings", .timeLimit(.minutes(Seeds.scaled(30))))
struct RotationInterleavingTests {
  @Test("the platform always accepts one of the stored keys", arguments: 0..<4)
  func interleavings(block: Int) async throws {
    try await RotationScenario.play(block: block, of: 40) { try Bench(inMemory: true) }
  }
}
