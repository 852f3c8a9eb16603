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

extension PairingScenario {
  /// True if the request has a known result, or an audit entry for its automatic resumption.
  func isSettled(_ index: Int) -> Bool {
    let request = requests[index]
    if request.isSettled || isUprooted { return true }
    let entries = try? bench.audit.entries(of: owner, page: AuditList(parsing: nil).page)
    return entries?.contains { $0.target == request.id } ?? false
  }

  /// Checks the invariants of every moment.
  func look() throws {
    let store = bench.vault
    let (accounts, pairings) = (try bench.paired.table.all(of: owner), try store.pairings(of: owner))
    let inForce = accounts.filter(\.account.isActive).map { "\($0.identity) \($0.environment) \($0.user.id)" }
    expect(Set(inForce).count == inForce.count, "two accounts are in force for one user")
    for account in accounts where account.account.state == .activating {
      expect(pairings.contains { $0.account == account.account.id }, "an account waits for nothing")
    }
    for (index, request) in requests.enumerated() where !pairings.contains(where: { $0.id == request.id }) {
      expect(isSettled(index), "request \(index) is gone")
    }
    // Skip the last check while an interrupted pairing waits for its timer, or a pairing is running.
    guard isResumed, bench.timers.delays.isEmpty, !bench.paired.isPairing(owner) else { return }
    for pairing in pairings where pairing.state != .received {
      expect(pairing.state == .activating && pairing.user == nil, "nobody goes on with a pairing")
    }
  }

  /// Checks that the next run completes pending pairings when the network works, and that all can be
  /// repeated.
  func rest() async throws {
    await settle()
    try bench.crash()
    isResumed = false
    await resume()
    try look()
    expect(!bench.paired.isPairing(owner), "the guard is held")
    try checkSecrets()
    let waiting = Set(try bench.pairings.pairingRequests(of: owner).map(\.id))
    for (index, request) in requests.enumerated()
    where request.expiresAt > bench.clock.now && !isSettled(index) {
      expect(waiting.contains(request.id), "request \(index) does not wait any more")
    }
    for index in requests.indices where waiting.contains(requests[index].id) {
      _ = try? await bench.pairings.approvePairing(requests[index].id, owner: owner)
      requests[index].isSettled = true
    }
    // Each geography must first detect that the device was forgotten.
    var isPaired = false
    for _ in 0..<3 where !isPaired {
      isPaired = (try? await bench.pairings.pair(newKey(), owner: owner)) != nil
    }
    expect(isPaired, "nothing can be paired any more")
    try look()
    try checkSecrets()
  }

  /// Checks that each active account is bound at the platform with the same secret.
  func checkSecrets() throws {
    let identities = try bench.devices.identities(of: owner)
    for account in try bench.paired.active(of: owner) {
      guard let identity = identities.first(where: { $0.id == account.identity }),
        let device = identity.deviceID, bench.platform.key(of: identity) != nil
      else {
        expect(isUprooted, "\(account.user.id) is in force on a device that is unknown")
        continue
      }
      let binding = bench.platform.bindings[TestPlatform.Binding(device: device, user: account.user.id)]
      if binding == nil, unpaired.contains(account.account.id) { continue }
      // A user that waits to be paired again may already be bound at the platform.
      let waiting = try bench.vault.pairings(of: owner).compactMap(\.account)
      let isWaiting = try bench.paired.table.all(of: owner).contains {
        $0.user.id == account.user.id && waiting.contains($0.account.id)
      }
      if isWaiting { continue }
      let secret = try bench.passcodes.secret(of: account.account)?.secret.withBytes { Array($0) }
      expect(binding == .some(secret), "\(account.user.id) has another secret on the platform")
    }
  }
}
