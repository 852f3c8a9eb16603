internal import Accounts
internal import CourierProtocol
public import EventLoop
public import Glibc
internal import JSON
internal import Journal
public import Vault
internal import WebAddress

/// Sends this machine's push address to servers, with retries for each server.
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

  /// Sends the new address of an owner to all servers of the owner.
  public func addressChanged(of owner: uid_t) throws {
    changes[owner, default: 0] += 1
    for account in try accounts.active(of: owner) {
      try accounts.table.setAddressSent(false, account: account.account.id)
      tell(account.account.id, of: owner)
    }
  }

  /// Sends the address to the server of an imported account, which still has the address of another machine.
  ///
  /// The server keeps the old address if there is no address here or the account cannot send one.
  func tookOver(_ account: AccountRecord) throws {
    guard try device.token(account.owner) != nil else { return }
    try accounts.table.setAddressSent(false, account: account.id)
    core.vault.whenCommitted { [weak self] in self?.tell(account.id, of: account.owner) }
  }

  /// Resumes, after a start, the updates that a previous run did not complete.
  public func resume() throws {
    for (account, owner) in try accounts.table.accountsWithUnsentAddress() { tell(account, of: owner) }
  }

  /// Resumes pending updates of an unlocked owner; signing them needs the owner's secret.
  private func lockChanged(of owner: uid_t) {
    do {
      guard try core.vault.sealer.isOpen(owner) else { return }
      for untold in try accounts.table.accountsWithUnsentAddress() where untold.owner == owner {
        tell(untold.account, of: owner)
      }
    } catch {
      Journal.warning("the push address could not be sent to servers", ["uid": owner])
    }
  }

  private func tell(_ account: String, of owner: uid_t) {
    // The retries outlive the call that started them.
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

  /// Makes one attempt; returns true if no further attempt is useful.
  private func isSettled(_ id: String, of owner: uid_t) async throws -> Bool {
    while true {
      guard let account = try accounts.active(id, of: owner), accounts.lock(of: account) == nil else {
        return true
      }
      // The server refuses an update without the user's name at the server. A push can supply the name.
      guard let user = account.user else { return true }
      let change = changes[owner]
      let claims = try device.claims(account.mechanism, of: owner)
      let message: JSONObject = [
        "mechanismUid": .string(account.mechanism), "username": .string(user),
        "jwt": try AMProof.token(claims, by: accounts.secret(of: account)),
      ]
      do throws(AMServerError) {
        try await server.post(message, to: account.refresh, priority: .init(of: owner))
      } catch {
        // Only status 400 is a refusal by the server itself. Another status may come from a proxy: try again.
        guard case .refused(status: 400, _) = error else { return false }
        guard change == changes[owner] else { continue }
        let origin = account.refresh.origin.text
        Journal.warning("a server refused the push address", ["origin": origin, "uid": owner])
        try accounts.table.setAddressRefused(account: id)
        try accounts.accounts.publish(id, of: owner)
        return true
      }
      // Send again if the address changed during the request.
      guard change == changes[owner] else { continue }
      try accounts.table.setAddressSent(true, account: id)
      if account.isAddressRefused { try accounts.accounts.publish(id, of: owner) }
      return true
    }
  }
}

/// The data that servers get about this machine.
public struct AMDevice: Sendable {
  let name: String
  /// The push address from an owner's transport.
  let token: @EventLoop (uid_t) throws -> String?

  public init(name: String, token: @escaping @EventLoop (uid_t) throws -> String?) {
    (self.name, self.token) = (name, token)
  }

  /// Returns the claims of a registration or a refresh for a mechanism.
  ///
  /// A server requires a non-empty address. If this machine has none, the mechanism ID is sent instead. The
  /// server treats every type except `apns` the same. A custom push delegate at the server can distinguish
  /// this machine from phones by its type.
  @EventLoop
  func claims(_ mechanism: String, of owner: uid_t) throws -> JSONObject {
    [
      "mechanismUid": .string(mechanism), "deviceId": .string(try token(owner) ?? mechanism),
      "deviceName": .string(name), "deviceType": "linux", "communicationType": "gcm",
    ]
  }
}
