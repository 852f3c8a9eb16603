import ControlAPI
import EventLoop
import Fixtures
import Glibc
import JSONRPC
import TestLoop
import Testing
import Time

@testable import Authenticator

/// One device whose owner's clients, platform, network and machine do what they like, as a seed says.
@EventLoop
private final class Scenario {
  private let bench: Bench
  private let owner = Bench.owner
  private var gate: Gate
  private var numbers: SeededNumbers
  private var account = ""
  private var story: [String]
  private let isForgetful: Bool
  private var isForgotten = false

  init(_ seed: UInt64, on bench: Bench) {
    self.bench = bench
    numbers = SeededNumbers(seed)
    story = ["seed \(seed)"]
    isForgetful = Int.random(in: 0..<3, using: &numbers) == 0
    gate = Self.gate(bench)
  }

  private static func gate(_ bench: Bench) -> Gate {
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
    while !gate.held.isEmpty { await gate.release() }
    try look()
    try await rest()
    _ = try bench.authenticator.store.eraseRows(of: owner)
    try bench.crash()
  }

  private func step() async throws {
    let authenticator = bench.authenticator
    let (owner, account) = (owner, account)
    switch Int.random(in: 0..<24, using: &numbers) {
    case 0..<4:
      story.append("new keys")
      EventLoop.task { _ = try? await authenticator.rotateKeys(of: owner) }
    case 4..<8:
      story.append("a call")
      EventLoop.task { _ = try? await authenticator.renameAccount(account, to: "n", owner: owner) }
    case 8, 9: try await crash()
    case 10:
      bench.platform.refusesKeys.toggle()
      story.append("new keys are \(bench.platform.refusesKeys ? "refused" : "taken")")
    case 11, 12:
      // The platform knows more than the state, which is older than the last proof.
      guard let identity = try identity(), let next = identity.nextKeys,
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
    guard let index = gate.held.indices.randomElement(using: &numbers) else { return }
    let error = [nil, nil, PlatformError.unreachable, .failed].randomElement(using: &numbers) ?? nil
    story.append("\(gate.held[index]): \(error.map { "\($0)" } ?? "goes on")")
    await gate.release(error, at: index)
  }

  private func crash() async throws {
    story.append("crash")
    gate.abandon()
    gate = Self.gate(bench)
    try bench.crash()
    // As a start does.
    bench.authenticator.startRotating()
  }

  private func identity() throws -> Identity? {
    try bench.authenticator.identities().first { $0.owner == owner }
  }

  /// What is in memory is on the disk, and the platform takes one of the keys there.
  private func look() throws {
    let stored = try bench.authenticator.store.identities { try bench.authenticator.platformRecord($0) }
    let disk = try #require(stored.first { $0.owner == owner }, comment)
    let memory = try #require(try identity(), comment)
    #expect(disk.keys.deviceThumbprint == memory.keys.deviceThumbprint, comment)
    #expect(disk.nextKeys?.deviceThumbprint == memory.nextKeys?.deviceThumbprint, comment)
    #expect(disk.deviceID == memory.deviceID && disk.keysMadeAt == memory.keysMadeAt, comment)
    let states = try bench.authenticator.accounts(of: owner).map(\.state)
    guard disk.deviceID != nil else {
      #expect(isForgotten && states == [.known(.revoked)], comment)
      return
    }
    #expect(states == [.known(.active)], comment)
    guard bench.platform.key(of: disk) != nil else {
      #expect(isForgotten, comment)
      return
    }
    let keys = [disk.keys, disk.nextKeys].compactMap(\.self)
    #expect(keys.contains { bench.platform.takes($0, of: disk) }, comment)
  }

  /// With a good network one attempt brings everything in order.
  private func rest() async throws {
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    if Bool.random(using: &numbers) { try await crash() }
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    await settle()
    let before = try #require(try identity()).keys.deviceThumbprint
    _ = try? await bench.authenticator.rotateKeys(of: owner)
    try look()
    let identity = try #require(try identity())
    if isForgotten {
      #expect(identity.deviceID == nil, comment)
      #expect(try await bench.pair().account != account, comment)
      return
    }
    #expect(identity.nextKeys == nil && identity.keys.deviceThumbprint != before, comment)
    _ = try await bench.authenticator.renameAccount(account, to: "n", owner: owner)
    #expect(bench.platform.key(of: identity) == identity.keys.deviceThumbprint, comment)
  }

  private var comment: Comment { "\(story.joined(separator: "; "))" }
}

@Suite("Keys of a device, whatever happens in whatever order", .timeLimit(.minutes(2)))
struct RotationInterleavingTests {
  @Test("the platform always takes one of the keys that are on the disk", arguments: 0..<4)
  func interleavings(block: Int) async throws {
    try await TestLoop.run {
      let task = EventLoop.task {
        let bench = try Bench(inMemory: true)
        for seed in 0..<40 { try await Scenario(UInt64(block * 1000 + seed), on: bench).run() }
      }
      try await task.value
    }
  }
}
