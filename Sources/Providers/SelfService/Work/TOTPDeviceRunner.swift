internal import Accounts
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSONRPC
internal import Time
internal import UserDevices
internal import Vault

/// Carries out the device orders of one sign-on at PingOne.
///
/// Contains the parts that only passcode devices need.
@EventLoop
final class TOTPDeviceRunner {
  let work: DeviceOperationRunner
  let grant: TokenGrant
  let devices: MFADevices
  let accounts: TOTPAccounts
  let time: TimeSource

  init(
    _ orders: DeviceOrders,
    _ grant: TokenGrant,
    _ devices: MFADevices,
    _ accounts: TOTPAccounts,
    _ audit: Audit,
    present: [UserDevice],
    time: TimeSource
  ) {
    (self.grant, self.devices, self.accounts, self.time) = (grant, devices, accounts, time)
    work = DeviceOperationRunner(
      orders,
      of: grant.owner,
      at: devices,
      present: present,
      accounts: accounts.accounts,
      audit: audit
    ) {
      try accounts.devices(of: grant.user.id, in: grant.tenant.environment, owner: grant.owner).map { own in
        let name = own.device.map { DeviceName($0, type: DeviceOrders.Kind.totp.rawValue) }
        return OwnDevices(own.account, [name].compactMap { $0 })
      }
    }
  }

  func carryOut() async -> DeviceOutcome {
    await settle()
    await work.removeAndRename()
    for kind in work.orders.add {
      await work.attempt(kind.rawValue, as: AccountEnrol.name) { try await self.addPasscodeDevice() }
    }
    await work.list()
    return work.outcome
  }

  /// The accounts of this machine that are devices of this user.
  var own: [TOTPAccount] {
    get throws {
      try accounts.devices(of: grant.user.id, in: grant.tenant.environment, owner: grant.owner)
    }
  }
}

extension TOTPDeviceRunner {
  /// Seconds for which a new device waits for its first passcode.
  private static let activationTime = 30 * 60

  /// Reconciles the accounts of this machine with the devices at PingOne.
  ///
  /// `keepingUnknown` is true directly after a creation request, when PingOne may not list its device yet.
  func settle(keepingUnknown: Bool = false) async {
    await work.attempt(DeviceOrders.Kind.totp.rawValue) {
      for account in try own {
        switch account.account.state {
        case .active where try await isLost(account):
          try accounts.accounts.revoke(account.account)
        case .activating: try await settle(account, keepingUnknown: keepingUnknown)
        case .active, .revoked: break
        }
      }
    }
  }

  /// True if the device of an account no longer exists at the server.
  ///
  /// If the list lacks the device, asks for this device, because the list may be outdated.
  private func isLost(_ account: TOTPAccount) async throws -> Bool {
    guard let id = account.device, !work.present.contains(where: { $0.id == id }) else { return false }
    guard let device = try await devices.device(id) else { return true }
    work.present.append(device)
    return false
  }

  private func settle(_ account: TOTPAccount, keepingUnknown: Bool) async throws {
    guard let id = account.device else {
      return try await settleUnknown(account, isRecent: keepingUnknown)
    }
    guard try await !isLost(account), let device = work.present.first(where: { $0.id == id }) else {
      return try discard(account)
    }
    if device.isActive { return try await comeIntoForce(account.account) }
    guard mayDelete else { return try discardIfExpired(account) }
    if mayFinish, !isExpired(account) { return try await activate(account.account, device: id) }
    try await devices.delete(id)
    work.present.removeAll { $0.id == id }
    try discard(account)
  }

  /// Handles an account without a device ID, because the response to its creation request was lost.
  ///
  /// PingOne may have created a device. It cannot be activated without its secret, and it blocks a new one.
  private func settleUnknown(_ account: TOTPAccount, isRecent: Bool) async throws {
    let candidates = work.present.filter { device in
      device.isPasscodeDevice && !device.isActive && !account.others.contains(device.id)
        && (device.createdAt.map { $0 >= account.begunAt } ?? false)
    }
    // The user chooses a device by naming it in both `remove` and `confirm`.
    let hasChosen = candidates.contains {
      work.orders.remove.contains($0.id) && work.orders.confirm.contains($0.id)
    }
    guard candidates.count > 1, !hasChosen else {
      guard mayDelete else { return try discardIfExpired(account) }
      if candidates.isEmpty, isRecent { return }
      if candidates.count == 1, let device = candidates.first {
        try await devices.delete(device.id)
        work.present.removeAll { $0.id == device.id }
      }
      return try discard(account)
    }
    throw RPCError.ambiguous
      .withMessage(
        "a creation request was lost, and several new devices may be its result: remove the unused one"
      )
  }

  /// True if the sign-on adds a device and therefore requested the access to complete one.
  private var mayFinish: Bool { !work.orders.add.isEmpty }

  /// True if the sign-on adds or removes a device and therefore requested the access to delete one.
  private var mayDelete: Bool { mayFinish || !work.orders.remove.isEmpty }

  /// True if PingOne accepts no first passcode for the account's device any more.
  private func isExpired(_ account: TOTPAccount) -> Bool {
    devices.now >= account.begunAt.adding(seconds: Self.activationTime)
  }

  private func discardIfExpired(_ account: TOTPAccount) throws {
    if isExpired(account) { try discard(account) }
  }

  private func discard(_ account: TOTPAccount) throws {
    work.gone.formUnion([account.account.id, account.device].compactMap { $0 })
    try accounts.accounts.discard(account.account.id, of: grant.owner)
  }
}
