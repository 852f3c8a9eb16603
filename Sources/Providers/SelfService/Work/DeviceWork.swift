internal import Accounts
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSONRPC
internal import Text
internal import Time
internal import Vault

/// What one sign-on does with its user's devices.
@EventLoop
final class DeviceWork {
  let orders: DeviceOrders
  let grant: Grant
  let devices: MFADevices
  let accounts: TOTPAccounts
  private let audit: Audit
  let time: TimeSource
  /// The devices that there are.
  var present: [UserDevice]
  /// What turned out to be gone, by account and by device.
  var gone: Set<String> = []
  var outcome = DeviceOutcome()

  init(
    _ orders: DeviceOrders,
    _ grant: Grant,
    _ devices: MFADevices,
    _ accounts: TOTPAccounts,
    _ audit: Audit,
    present: [UserDevice],
    time: TimeSource
  ) {
    (self.orders, self.grant, self.devices, self.accounts) = (orders, grant, devices, accounts)
    (self.audit, self.present, self.time) = (audit, present, time)
  }

  func carryOut() async -> DeviceOutcome {
    await settle()
    for device in orders.remove {
      await attempt(device, as: AccountRemove.name) { try await self.remove(device) }
    }
    if let renaming = orders.rename {
      await attempt(renaming.account, as: AccountRename.name) { try await self.rename(renaming) }
    }
    for kind in orders.add {
      await attempt(kind.rawValue, as: AccountEnrol.name) { try await self.addPasscodeDevice() }
    }
    if orders.lists { await attempt("list") { try await self.list() } }
    return outcome
  }

  /// Does one thing; under the name of a method, which does the like, it leaves an entry of the audit.
  func attempt(_ subject: String, as method: String? = nil, _ body: () async throws -> Void) async {
    do {
      try devices.checkCurrent()
      guard let method else { return try await body() }
      try await audit.following(method, owner: grant.owner, target: { _ in subject }, body)
    } catch {
      outcome.problems.append(DeviceOutcome.Problem(subject, RPCError(naming: error)))
    }
  }

  /// The accounts of this machine that are devices of this user.
  var own: [TOTPAccount] {
    get throws {
      try accounts.table.all(of: grant.owner).filter {
        $0.environment == grant.tenant.environment && $0.user.id == grant.user.id
      }
    }
  }

  private func list() async throws {
    let own = try own
    outcome.list = try await devices.list().map { device in
      var device = device
      device.account = own.first { $0.device == device.id }?.account.id
      return device
    }
  }

  private func remove(_ subject: String) async throws {
    guard !gone.contains(subject) else { return outcome.removed.append(subject) }
    let account = try own(subject)
    if let device = try account.map(\.device) ?? stranger(subject) { try await devices.delete(device) }
    if let account {
      _ = try await accounts.accounts.remove(account.account.id, localOnly: true, owner: grant.owner)
    }
    present.removeAll { $0.id == account?.device ?? subject }
    try await accounts.accounts.vault.committed()
    outcome.removed.append(subject)
  }

  private func rename(_ renaming: DeviceOrders.Renaming) async throws {
    let nickname = DisplayText.clean(renaming.nickname, maximum: 100)
    guard !nickname.isEmpty else { throw RPCError.invalidParameter("devices") }
    let account = try own(renaming.account)
    guard let device = try account.map(\.device) ?? stranger(renaming.account) else {
      throw RPCError.notFound
    }
    try await devices.rename(device, to: nickname)
    guard let account else { return }
    try accounts.accounts.setNickname(nickname, of: account.account)
    try accounts.accounts.publish(account.account.id, of: grant.owner)
    try await accounts.accounts.vault.committed()
  }

  private func own(_ subject: String) throws -> TOTPAccount? {
    try own.first { $0.account.id == subject || $0.device == subject }
  }

  /// A device that is not this machine's, which a person names twice.
  private func stranger(_ device: String) throws -> String {
    guard present.contains(where: { $0.id == device }) else { throw RPCError.notFound }
    guard orders.confirm.contains(device) else {
      throw RPCError.invalidParameter("devices")
        .saying("this device is not this machine's: it has to be named once more, in confirm")
    }
    return device
  }
}
