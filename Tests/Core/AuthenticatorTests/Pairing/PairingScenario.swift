import Configuration
import ControlAPI
import EventLoop
import Fixtures
import Glibc
import Interleaving
import JSONRPC
import OpenSSL
import Testing
import Time

@testable import Authenticator

/// One owner who pairs, by keys and by tokens, while platforms, network and machine do what they like, as a seed says.
@EventLoop
final class PairingScenario: Scenario {
  /// What waits for its owner's word.
  private struct Request {
    let id: String
    let expiresAt: Timestamp
    /// Whether somebody was told what became of it.
    var isSettled = false
  }

  private let bench: Bench
  private let owner = Bench.owner
  private let seed: UInt64
  private var gate: Gate<TestPlatform.Visit, PlatformError>
  var numbers: SeededNumbers
  private var keys: [String] = []
  private var requests: [Request] = []
  /// The accounts that the platform may have let go without anybody's having heard of it.
  private var unpaired: Set<String> = []
  private var isUprooted = false
  private var isResumed = true
  private let isStormy: Bool
  var story: [String]

  init(_ seed: UInt64, on bench: Bench) {
    (self.bench, self.seed) = (bench, seed)
    numbers = SeededNumbers(seed)
    story = ["seed \(seed)"]
    isStormy = Int.random(in: 0..<3, using: &numbers) == 0
    gate = Self.gate(bench)
  }

  private static func gate(_ bench: Bench) -> Gate<TestPlatform.Visit, PlatformError> {
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
    _ = try bench.authenticator.store.eraseRows(of: owner)
    try bench.crash()
  }

  private func step() async throws {
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
      _ = try bench.authenticator.erase(owner: owner)
    case 16:
      story.append("new keys")
      let (authenticator, owner) = (bench.authenticator, owner)
      EventLoop.task { _ = try? await authenticator.rotateKeys(of: owner) }
    case 17, 18: await flow()
    case 19, 20: if isResumed { await release() } else { await resume() }
    default: await release()
    }
    await settle()
  }

  /// The network is good for a while, to all but what ends a pairing.
  private func flow() async {
    story.append("much goes on")
    for _ in 0..<8 {
      let index = gate.held.firstIndex {
        if case .unpair = $0.call { false } else { true }
      }
      guard let index else { return }
      await gate.release(at: index)
    }
  }

  /// A new key: for one of two users with passcodes or for one without, here or in another geography.
  private func newKey() -> String {
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

  private func pair() {
    let key = newKey()
    story.append("pair \(key)")
    start(key)
  }

  private func pairAgain() {
    guard let key = keys.randomElement(using: &numbers) else { return }
    story.append("pair again \(key)")
    start(key)
  }

  private func start(_ key: String) {
    let (authenticator, owner) = (bench.authenticator, owner)
    EventLoop.task { [self] in
      do { _ = try await authenticator.pair(key, owner: owner) } catch { judge(error) }
    }
  }

  /// What a verified token asks for, as it is stored.
  private func receive() throws {
    guard let identity = try bench.authenticator.identity(of: owner) else { return }
    let key = newKey()
    let expiry = bench.clock.now.adding(seconds: Int.random(in: 20...500, using: &numbers))
    let record = PairingRecord(
      id: try Authenticator.makeID(),
      owner: owner,
      identity: identity.id,
      state: .received,
      environment: "e-1",
      user: bench.platform.pairings[key]?.user,
      key: key,
      account: nil,
      expiresAt: expiry
    )
    try bench.authenticator.store.insertPairing(record)
    requests.append(Request(id: record.id, expiresAt: expiry))
    story.append("a token asks for \(key), request \(requests.count - 1)")
  }

  private func approve() {
    guard let index = requests.indices.randomElement(using: &numbers) else { return }
    story.append("approve \(index)")
    let (authenticator, owner, id) = (bench.authenticator, owner, requests[index].id)
    EventLoop.task { [self] in
      do {
        _ = try await authenticator.approvePairing(id, owner: owner)
        requests[index].isSettled = true
      } catch PlatformError.refused, PlatformError.deviceUnknown, PlatformError.elsewhere {
        requests[index].isSettled = true
      } catch let error as RPCError {
        switch error {
        case .passcodeNotVerified, .notConfigured: requests[index].isSettled = true
        case .notFound where !isSettled(index): fail("request \(index) was lost")
        default: break
        }
      } catch { judge(error) }
    }
  }

  private func ignore() {
    guard let index = requests.indices.randomElement(using: &numbers) else { return }
    story.append("ignore \(index)")
    do {
      try bench.authenticator.ignorePairing(requests[index].id, owner: owner)
      requests[index].isSettled = true
    } catch {
      guard error as? RPCError != .pairingRunning else { return }
      if error as? RPCError != .notFound || !isSettled(index) { fail("request \(index): \(error)") }
    }
  }

  private func remove() throws {
    let (authenticator, owner) = (bench.authenticator, owner)
    guard let account = try authenticator.accounts(of: owner).randomElement(using: &numbers)?.id else {
      return
    }
    let isLocal = Int.random(in: 0..<3, using: &numbers) == 0
    story.append("remove \(account)\(isLocal ? " here" : "")")
    EventLoop.task { [self] in
      do { _ = try await authenticator.removeAccount(account, localOnly: isLocal, owner: owner) } catch {
        if error is PlatformError { unpaired.insert(account) }
        judge(error)
      }
    }
    if !isLocal { unpaired.insert(account) }
  }

  /// Those who ask hear errors of the interface or of the platform, and no others.
  private func judge(_ error: any Error) {
    if !(error is RPCError), !(error is PlatformError), !isUprooted { fail("\(error)") }
  }

  private func release() async {
    await release(from: gate) { visit in
      var errors: [PlatformError?] = [nil, nil, nil, nil, .unreachable, .failed]
      if case .pair = visit.call, visit.moment == .request { errors.append(.refused(.pairingKey)) }
      return errors
    }
  }

  private func crash() async throws {
    story.append("crash")
    await settle()
    gate.abandon()
    gate = Self.gate(bench)
    try bench.crash()
    isResumed = false
    // Other things are gone on with first.
    if Bool.random(using: &numbers) { await resume() }
  }

  /// Goes on as after a start.
  private func resume() async {
    guard !isResumed else { return }
    isResumed = true
    story.append("pairings go on")
    let authenticator = bench.authenticator
    EventLoop.task { [self] in
      do { try await authenticator.resumePairings() } catch { judge(error) }
    }
    await settle()
  }

  /// What the daemon went on with by itself has left its entry.
  private func isSettled(_ index: Int) -> Bool {
    let request = requests[index]
    if request.isSettled || isUprooted { return true }
    let entries = try? bench.authenticator.auditEntries(of: owner, page: AuditList(parsing: nil).page)
    return entries?.contains { $0.target == request.id } ?? false
  }

  /// What holds at every moment.
  private func look() throws {
    let store = bench.authenticator.store
    let (accounts, pairings) = (try store.accounts(of: owner), try store.pairings(of: owner))
    let inForce = accounts.filter(\.isActive).map { "\($0.identity) \($0.environment) \($0.user.id)" }
    expect(Set(inForce).count == inForce.count, "two accounts are in force for one user")
    for account in accounts where account.state == .activating {
      expect(pairings.contains { $0.account == account.id }, "an account waits for nothing")
    }
    for (index, request) in requests.enumerated() where !pairings.contains(where: { $0.id == request.id }) {
      expect(isSettled(index), "request \(index) is gone")
    }
    // What was interrupted goes on at its time, and who pairs now has just begun.
    guard isResumed, bench.timers.delays.isEmpty, !bench.authenticator.pairingOwners.contains(owner) else {
      return
    }
    for pairing in pairings where pairing.state != .received {
      expect(pairing.state == .activating && pairing.user == nil, "nobody goes on with a pairing")
    }
  }

  /// With a good network what was begun is finished by the next life, and all can be done again.
  private func rest() async throws {
    await settle()
    try bench.crash()
    isResumed = false
    await resume()
    try look()
    expect(!bench.authenticator.pairingOwners.contains(owner), "the guard is held")
    try checkSecrets()
    let waiting = Set(try bench.authenticator.pairingRequests(of: owner).map(\.id))
    for (index, request) in requests.enumerated()
    where request.expiresAt > bench.clock.now && !isSettled(index) {
      expect(waiting.contains(request.id), "request \(index) does not wait any more")
    }
    for index in requests.indices where waiting.contains(requests[index].id) {
      _ = try? await bench.authenticator.approvePairing(requests[index].id, owner: owner)
      requests[index].isSettled = true
    }
    // A device that was forgotten has to be found out first, in each geography.
    var isPaired = false
    for _ in 0..<3 where !isPaired {
      isPaired = (try? await bench.authenticator.pair(newKey(), owner: owner)) != nil
    }
    expect(isPaired, "nothing can be paired any more")
    try look()
    try checkSecrets()
  }

  /// What is in force here is in force there, with the same secret.
  private func checkSecrets() throws {
    let identities = try bench.authenticator.identities()
    for account in try bench.authenticator.store.accounts(of: owner) where account.isActive {
      guard let identity = identities.first(where: { $0.id == account.identity }),
        let device = identity.deviceID, bench.platform.key(of: identity) != nil
      else {
        expect(isUprooted, "\(account.user.id) is in force on a device that is unknown")
        continue
      }
      let binding = bench.platform.bindings[TestPlatform.Binding(device: device, user: account.user.id)]
      if binding == nil, unpaired.contains(account.id) { continue }
      // Whoever waits to be paired again, visibly, may be so on the platform already.
      let waiting = try bench.authenticator.store.pairings(of: owner).compactMap(\.account)
      let isWaiting = try bench.authenticator.store.accounts(of: owner).contains {
        $0.user.id == account.user.id && waiting.contains($0.id)
      }
      if isWaiting { continue }
      let secret = account.oath?.secret.withBytes { Array($0) }
      expect(binding == .some(secret), "\(account.user.id) has another secret on the platform")
    }
  }
}
