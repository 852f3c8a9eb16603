internal import Accounts
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Time
internal import UserDevices
internal import Vault

/// What one sign-on does with its user's devices at PingOne; what only passcode devices need is here.
@EventLoop
final class TOTPWork {
  let work: DeviceWork
  let grant: Grant
  let devices: MFADevices
  let accounts: TOTPAccounts
  let time: TimeSource

  init(
    _ orders: DeviceOrders,
    _ grant: Grant,
    _ devices: MFADevices,
    _ accounts: TOTPAccounts,
    _ audit: Audit,
    present: [UserDevice],
    time: TimeSource
  ) {
    (self.grant, self.devices, self.accounts, self.time) = (grant, devices, accounts, time)
    work = DeviceWork(
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
