internal import Accounts
public import ControlAPI
public import EventLoop
internal import Glibc
internal import JSONRPC
public import UserDevices
internal import Vault
internal import WebAddress

/// Management of users' own devices at PingAM during their journeys.
@EventLoop
public final class AMDeviceService: UserDeviceService {
  private let accounts: AMAccounts

  public init(accounts: AMAccounts) { self.accounts = accounts }

  /// Carries out the device orders of a sign-on; a failed order does not stop the others.
  public func carryOut(_ orders: DeviceOrders, _ session: SessionGrant) async -> DeviceResult {
    var user: User?
    do {
      let devices = try await AMUserDevices(session)
      user = User(id: devices.user)
      let present = try await devices.list()
      try devices.checkCurrent()
      let work = DeviceOperationRunner(
        orders,
        of: session.owner,
        at: devices,
        present: present,
        accounts: accounts.accounts,
        audit: accounts.core.audit
      ) { [accounts] in
        let names = Set(present.map { DeviceName($0.id, type: $0.type) })
        return try accounts.devices(of: session.owner, among: names, in: devices)
      }
      await work.removeAndRename()
      await work.list()
      let isUnbound = present.contains(where: \.isBoundKey) && !work.present.contains(where: \.isBoundKey)
      return DeviceResult(user: user, outcome: work.outcome, unbound: isUnbound ? devices.universalID : nil)
    } catch {
      return DeviceResult(user: user, outcome: .failed(orders, RPCError(naming: error)))
    }
  }
}

extension UserDevice {
  fileprivate var isBoundKey: Bool { type == AMUserDevices.binding }
}

extension AMAccounts {
  /// Returns the accounts of an owner that are devices of the user at a server.
  ///
  /// The server chooses random device IDs. An account without a device in `present` belongs to another user,
  /// or its device was deleted. Such an account is left out, unless this user began its removal. The server
  /// of a passcode-only account is unknown, so only the device ID is compared.
  fileprivate func devices(
    of owner: uid_t,
    among present: Set<DeviceName>,
    in directory: AMUserDevices
  ) throws -> [OwnDevices] {
    try accounts.records(of: owner).compactMap { record in
      guard record.isActive, [.oath, .pushAM].contains(record.kind) else { return nil }
      let pushes = record.kind == .pushAM ? try table.account(record) : nil
      if let pushes, pushes.authenticate.origin != directory.origin { return nil }
      let names = [
        pushes?.resource.map { DeviceName($0, type: "PUSH") },
        try passcodes.resource(of: record).map { DeviceName($0, type: "OATH") },
      ].compactMap { $0 }.filter(present.contains)
      let isOwn = try !names.isEmpty || accounts.isRemovalBegun(of: record, as: directory.identity)
      return !isOwn ? nil : OwnDevices(record, names, isOfThisSide: pushes != nil)
    }
  }
}
