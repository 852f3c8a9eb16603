import Accounts
import Configuration
import ControlAPI
import EventLoop
import Fixtures
import Glibc
import Interleaving
import JSONRPC
import OpenSSL
import TestPlatform
import Testing
import Time

@testable import PingOne
@testable import Vault

/// One owner that pairs by keys and by tokens.
///
/// A seed determines the actions of platforms, network and
/// machine.
@EventLoop
final class PairingScenario: Scenario {
  /// A pairing request that waits for its owner's approval.
  struct Request {
    let id: String
    let expiresAt: Timestamp
    /// True if a caller got the result of this request.
    var isSettled = false
  }

  let bench: Bench
  let owner = Bench.owner
  let seed: UInt64
  var gate: PlatformGate
  var numbers: SeededNumbers
  var keys: [String] = []
  var requests: [Request] = []
  /// Accounts that the platform may have removed without a response to mfad.
  var unpaired: Set<String> = []
  var isUprooted = false
  var isResumed = true
  let isStormy: Bool
  var story: [String]

  init(_ seed: UInt64, on bench: Bench) {
    (self.bench, self.seed) = (bench, seed)
    numbers = SeededNumbers(seed)
    story = ["seed \(seed)"]
    isStormy = Int.random(in: 0..<3, using: &numbers) == 0
    gate = Self.gate(bench)
  }

  static func gate(_ bench: Bench) -> PlatformGate {
    Gate(bench.platform) { call, _ in
      switch call {
      case .trust, .registerPush, .pair, .checkPasscode, .unpair: true
      default: false
      }
    }
  }

  func run() async throws {
    if Bool.random(using: &numbers) {
      pair()
      await settle()
      await flow()
    }
    for _ in 0..<Int.random(in: 4...20, using: &numbers) {
      try await step()
      try look()
    }
    story.append("all goes on")
    while !gate.held.isEmpty {
      await gate.release()
      try look()
    }
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    try await rest()
    try bench.vault.eraseRows(of: owner)
    try bench.crash()
  }

  func step() async throws {
    switch Int.random(in: 0..<30, using: &numbers) {
    case 0..<3: pair()
    case 3: pairAgain()
    case 4, 5: try receive()
    case 6..<9: approve()
    case 9: ignore()
    case 10:
      let seconds = Int.random(in: 1...25, using: &numbers)
      story.append("\(seconds) s pass")
      await bench.pass(.seconds(seconds))
    case 11, 12: try await crash()
    case 13: try remove()
    case 14 where isStormy && Int.random(in: 0..<2, using: &numbers) == 0:
      story.append("the devices are forgotten")
      isUprooted = true
      bench.platform.forgetDevices()
    case 15 where isStormy && Int.random(in: 0..<2, using: &numbers) == 0:
      story.append("the owner is erased")
      isUprooted = true
      try await bench.owners.erase(owner)
    case 16:
      story.append("new keys")
      let (life, owner) = (bench.life, owner)
      EventLoop.task { _ = try? await life.devices.rotateKeys(of: owner) }
    case 17, 18: await flow()
    case 19, 20: if isResumed { await release() } else { await resume() }
    default: await release()
    }
    await settle()
  }

  /// Releases up to eight held calls, except those that end a pairing.
  func flow() async {
    story.append("much goes on")
    for _ in 0..<8 {
      let index = gate.held.firstIndex {
        if case .unpair = $0.call { false } else { true }
      }
      guard let index else { return }
      await gate.release(at: index)
    }
  }

  /// Creates a pairing key: for one of two users with passcodes or one without, in one of two geographies.
  func newKey() -> String {
    let key = "01" + String(100_000_000_000 + Int(seed) * 100 + keys.count)
    let user = Int.random(in: 1...3, using: &numbers)
    bench.platform.pairings[key] = TestPlatform.Pairing(
      user: User(id: "u-\(user)"),
      secret: user == 3 ? nil : (0..<20).map { _ in UInt8.random(in: 0...255, using: &numbers) },
      geography: Int.random(in: 0..<4, using: &numbers) == 0 ? .europe : .northAmerica
    )
    keys.append(key)
    return key
  }

  func pair() {
    let key = newKey()
    story.append("pair \(key)")
    start(key)
  }

  func pairAgain() {
    guard let key = keys.randomElement(using: &numbers) else { return }
    story.append("pair again \(key)")
    start(key)
  }

  func start(_ key: String) {
    let (life, owner) = (bench.life, owner)
    EventLoop.task { [self] in
      do { _ = try await life.pairings.pair(key, owner: owner) } catch { judge(error) }
    }
  }

  /// Stores the pairing request of a verified token.
  func receive() throws {
    guard let identity = try bench.identity(of: owner) else { return }
    let key = newKey()
    let expiry = bench.clock.now.adding(seconds: Int.random(in: 20...500, using: &numbers))
    let record = PairingRecord(
      id: try OpaqueID.make(),
      owner: owner,
      identity: identity.id,
      state: .received,
      environment: "e-1",
      user: bench.platform.pairings[key]?.user,
      key: key,
      account: nil,
      expiresAt: expiry
    )
    try bench.vault.insertPairing(record)
    requests.append(Request(id: record.id, expiresAt: expiry))
    story.append("a token asks for \(key), request \(requests.count - 1)")
  }

  func approve() {
    guard let index = requests.indices.randomElement(using: &numbers) else { return }
    story.append("approve \(index)")
    let (life, owner, id) = (bench.life, owner, requests[index].id)
    EventLoop.task { [self] in
      do {
        _ = try await life.pairings.approvePairing(id, owner: owner)
        requests[index].isSettled = true
      } catch PlatformError.refused, PlatformError.deviceUnknown, PlatformError.elsewhere {
        requests[index].isSettled = true
      } catch let error as RPCError {
        switch error {
        case .passcodeNotVerified, .notConfigured: requests[index].isSettled = true
        case let error where error.isNotFound && !isSettled(index): fail("request \(index) was lost")
        default: break
        }
      } catch { judge(error) }
    }
  }

  func ignore() {
    guard let index = requests.indices.randomElement(using: &numbers) else { return }
    story.append("ignore \(index)")
    do {
      try bench.pairings.ignorePairing(requests[index].id, owner: owner)
      requests[index].isSettled = true
    } catch {
      guard error as? RPCError != .pairingRunning else { return }
      if (error as? RPCError)?.isNotFound != true || !isSettled(index) { fail("request \(index): \(error)") }
    }
  }

  func remove() throws {
    let (life, owner) = (bench.life, owner)
    guard let account = try life.accounts.list(of: owner).randomElement(using: &numbers)?.id else {
      return
    }
    let isLocal = Int.random(in: 0..<3, using: &numbers) == 0
    story.append("remove \(account)\(isLocal ? " here" : "")")
    EventLoop.task { [self] in
      do { _ = try await life.accounts.remove(account, localOnly: isLocal, owner: owner) } catch {
        if error is PlatformError { unpaired.insert(account) }
        judge(error)
      }
    }
    if !isLocal { unpaired.insert(account) }
  }

  /// Callers may only get errors of the interface or of the platform.
  func judge(_ error: any Error) {
    if !(error is RPCError), !(error is PlatformError), !isUprooted { fail("\(error)") }
  }

  func release() async {
    await release(from: gate) { visit in
      var errors: [PlatformError?] = [nil, nil, nil, nil, .outOfReach, .brokenDown]
      if case .pair = visit.call, visit.moment == .request { errors.append(.refused(.pairingKey)) }
      return errors
    }
  }

  func crash() async throws {
    story.append("crash")
    await settle()
    gate.abandon()
    gate = Self.gate(bench)
    try bench.crash()
    isResumed = false
    // Sometimes other operations run before the resumption.
    if Bool.random(using: &numbers) { await resume() }
  }

  /// Resumes pairings as after a start.
  func resume() async {
    guard !isResumed else { return }
    isResumed = true
    story.append("pairings go on")
    let life = bench.life
    EventLoop.task { [self] in
      do { try await life.pairings.resumePairings() } catch { judge(error) }
    }
    await settle()
  }

}
