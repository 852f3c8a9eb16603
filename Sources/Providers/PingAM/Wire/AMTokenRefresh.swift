internal import Accounts
internal import CourierProtocol
public import EventLoop
public import Glibc
internal import JSON
internal import Journal
public import Vault

/// Tells servers by which address pushes reach this machine, each as often as it takes.
@EventLoop
public final class AMTokenRefresh {
  private let core: Core
  private let accounts: AMAccounts
  private let server: AMServer
  private let device: AMDevice
  private let flights = SingleFlight<OwnedKey, Void>()
  private var changes: [uid_t: Int] = [:]

  public init(_ core: Core, accounts: AMAccounts, server: AMServer, device: AMDevice) {
    (self.core, self.accounts, self.server, self.device) = (core, accounts, server, device)
    accounts.whenReady { [weak self] account in
      guard let self, (try? accounts.table.isTold(account.account.id)) == false else { return }
      self.tell(account.account.id, of: account.account.owner)
    }
    core.vault.sealer.whenLockChanged { [weak self] in self?.lockChanged(of: $0) }
    core.owners.whenErased { [weak self] in
      self?.flights.cancelAll(of: $0)
      self?.changes[$0] = nil
    }
  }

  /// After a change of an owner's address: every server of theirs is told.
  public func addressChanged(of owner: uid_t) throws {
    changes[owner, default: 0] += 1
    for account in try accounts.active(of: owner) {
      try accounts.table.setTold(false, account: account.account.id)
      tell(account.account.id, of: owner)
    }
  }

  /// Once an account is stored that came from another machine, whose address its server knows.
  ///
  /// It goes on to send there as long as there is no address here, or nobody here could answer.
  func tookOver(_ account: AccountRecord) throws {
    guard try device.token(account.owner) != nil else { return }
    try accounts.table.setTold(false, account: account.id)
    core.vault.whenCommitted { [weak self] in self?.tell(account.id, of: account.owner) }
  }

  /// After a start: those are told that an earlier life did not reach.
  public func resume() throws {
    for (account, owner) in try accounts.table.untold() { tell(account, of: owner) }
  }

  /// What servers hear is signed: of a locked owner they hear nothing, and then what they did not.
  private func lockChanged(of owner: uid_t) {
    do {
      guard try core.vault.sealer.isOpen(owner) else { return }
      for untold in try accounts.table.untold() where untold.owner == owner {
        tell(untold.account, of: owner)
      }
    } catch {
      Journal.warning("servers could not be told the address for pushes", ["uid": owner])
    }
  }

  private func tell(_ account: String, of owner: uid_t) {
    // It goes on long after the call that began it.
    _ = Vault.leavingCall {
      flights.start(OwnedKey(account, of: owner)) { [weak self] in
        var backOff = BackOff(from: .seconds(1), to: .seconds(300))
        while let self, !Task.isCancelled {
          if try await self.isSettled(account, of: owner) { return }
          let delay = backOff.next()
          await withCheckedContinuation { waiting in self.core.after(delay) { waiting.resume() } }
        }
      }
    }
  }

  /// One try; whether another would be in vain.
  private func isSettled(_ id: String, of owner: uid_t) async throws -> Bool {
    while true {
      guard let account = try accounts.active(id, of: owner), accounts.lock(of: account) == nil else {
        return true
      }
      // Without its own name for the identity a server refuses; a push can bring it.
      guard let user = account.user else { return true }
      let change = changes[owner]
      let claims = try device.claims(account.mechanism, of: owner)
      let message: JSONObject = [
        "mechanismUid": .string(account.mechanism), "username": .string(user),
        "jwt": try AMProof.token(claims, by: accounts.secret(of: account)),
      ]
      do throws(AMServerError) {
        try await server.post(message, to: account.refresh, turn: .init(of: owner))
      } catch {
        // Only the server's own word ends it; what stands before one answers otherwise for a while.
        guard case .refused(status: 400, _) = error else { return false }
        Journal.warning("a server does not take the address for pushes", ["uid": owner])
        return true
      }
      // What changed meanwhile is told at once.
      guard change == changes[owner] else { continue }
      try accounts.table.setTold(true, account: id)
      return true
    }
  }
}

/// What servers hear of this machine.
public struct AMDevice: Sendable {
  let name: String
  /// The address that an owner's transport for pushes gave.
  let token: @EventLoop (uid_t) throws -> String?

  public init(name: String, token: @escaping @EventLoop (uid_t) throws -> String?) {
    (self.name, self.token) = (name, token)
  }

  /// The claims of a registration or a refresh, of pushes that the server knows by a mechanism.
  ///
  /// A server takes no blank address; where pushes come by no transport that it knows, the mechanism stands for one.
  /// Everything but `apns` is the same to it, and by the type a delegate of its administrator's can tell this machine
  /// from telephones.
  @EventLoop
  func claims(_ mechanism: String, of owner: uid_t) throws -> JSONObject {
    [
      "mechanismUid": .string(mechanism), "deviceId": .string(try token(owner) ?? mechanism),
      "deviceName": .string(name), "deviceType": "linux", "communicationType": "gcm",
    ]
  }
}
