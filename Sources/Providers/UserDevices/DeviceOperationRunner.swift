public import Accounts
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Text
public import Vault

/// Carries out the device orders of one sign-on; a failed order does not stop the others.
///
/// A change is made to the devices at the server first, then to their account on this machine.
@EventLoop
public final class DeviceOperationRunner {
  public let orders: DeviceOrders
  public let accounts: Accounts
  /// The devices of the user at the server.
  public var present: [UserDevice]
  /// IDs of accounts and devices that this sign-on found to be removed already.
  public var gone: Set<String> = []
  public var outcome = DeviceOutcome()
  private let directory: any DeviceDirectory
  private let owner: uid_t
  private let audit: Audit
  private let own: @EventLoop () throws -> [OwnDevices]

  /// Creates the work for a user; `own` returns the accounts of this machine that are devices of the user.
  public init(
    _ orders: DeviceOrders,
    of owner: uid_t,
    at directory: any DeviceDirectory,
    present: [UserDevice],
    accounts: Accounts,
    audit: Audit,
    own: @escaping @EventLoop () throws -> [OwnDevices]
  ) {
    (self.orders, self.directory, self.present) = (orders, directory, present)
    (self.owner, self.accounts, self.audit, self.own) = (owner, accounts, audit, own)
  }

  /// Runs one order, with an audit entry named `method` if it is given; adds a failure to the problems.
  public func attempt(
    _ subject: String,
    as method: String? = nil,
    _ body: () async throws -> Void
  ) async {
    do {
      try directory.checkCurrent()
      guard let method else { return try await body() }
      try await audit.following(
        method,
        owner: owner,
        target: { $0.isAboutNothing ? nil : subject },
        body
      )
    } catch {
      outcome.problems.append(DeviceOutcome.Problem(subject, RPCError(naming: error)))
    }
  }

  public func removeAndRename() async {
    for device in orders.remove {
      await attempt(device, as: AccountRemove.name) { try await self.remove(device) }
    }
    if let renaming = orders.rename {
      await attempt(renaming.account, as: AccountRename.name) { try await self.rename(renaming) }
    }
  }

  public func list() async {
    guard orders.lists else { return }
    await attempt("list") {
      let own = try own()
      outcome.list = try await directory.list().map { device in
        var device = device
        device.account = own.first { $0.includes(device) }?.account.id
        return device
      }
    }
  }

  private func remove(_ subject: String) async throws {
    guard !gone.contains(subject) else { return outcome.removed.append(subject) }
    let account = try account(subject)
    let names = try names(of: subject, account)
    if let account = account?.account {
      try await accounts.beginRemoval(of: account, as: directory.identity)
    }
    for name in names { try await directory.delete(name) }
    if let account = account?.account {
      _ = try await accounts.remove(account.id, localOnly: true, owner: account.owner)
    }
    present.removeAll { device in names.contains { $0.id == device.id } }
    try await accounts.core.vault.committed()
    outcome.removed.append(subject)
  }

  private func rename(_ renaming: DeviceOrders.Renaming) async throws {
    let nickname = DisplayText.clean(renaming.nickname, maximum: 100)
    guard !nickname.isEmpty else { throw RPCError.invalidParameter("devices") }
    let account = try account(renaming.account)
    if let account = account?.account { _ = try accounts.usable(account.id, of: account.owner) }
    let names = try names(of: renaming.account, account)
    guard !names.isEmpty else { throw RPCError.noSuch("device") }
    for name in names { try await directory.rename(name, to: nickname) }
    guard let account = account?.account else { return }
    try accounts.setNickname(nickname, of: account)
    try accounts.publish(account.id, of: account.owner)
    try await accounts.core.vault.committed()
  }

  private func account(_ subject: String) throws -> OwnDevices? {
    let meant = try own().filter { $0.isMeant(by: subject) }
    guard meant.count < 2 else {
      throw RPCError.ambiguous.with(["accounts": .strings(meant.map(\.account.id))])
    }
    return meant.first
  }

  /// Returns the devices of `account` or, without an account, the user's device that `subject` names.
  ///
  /// The order must also name a device without an account in `confirm`.
  private func names(of subject: String, _ account: OwnDevices?) throws -> [DeviceName] {
    if let account { return account.names }
    guard let device = present.first(where: { $0.id == subject }) else {
      throw RPCError.notFound
        .withMessage(
          "the signed-on user has no such device; if it is gone there, remove the account here only"
        )
    }
    guard orders.confirm.contains(subject) else {
      throw RPCError.invalidParameter("devices")
        .withMessage("this device does not belong to this machine: name it in confirm, too")
    }
    return [DeviceName(device.id, type: device.type)]
  }
}

/// The devices of one user at a server, accessed with the user's authority during a sign-on.
@EventLoop
public protocol DeviceDirectory: AnyObject {
  /// Identifies the server and the user.
  var identity: [String] { get }
  /// Throws an error if the sign-on has ended.
  func checkCurrent() throws
  func list() async throws -> [UserDevice]
  /// Removes a device. Succeeds if the device is already gone.
  func delete(_ device: DeviceName) async throws
  func rename(_ device: DeviceName, to nickname: String) async throws
}

/// The ID and the type of a device at the server.
public struct DeviceName: Sendable, Hashable {
  public let id: String
  public let type: String

  public init(_ id: String, type: String) { (self.id, self.type) = (id, type) }
}

/// An account of this machine with its devices at the server, if any are known.
public struct OwnDevices: Sendable {
  public let account: AccountRecord
  public let names: [DeviceName]
  /// True if the account certainly belongs to this server, so that an order can name it by a device ID.
  let isOfThisSide: Bool

  public init(_ account: AccountRecord, _ names: [DeviceName], isOfThisSide: Bool = true) {
    (self.account, self.names, self.isOfThisSide) = (account, names, isOfThisSide)
  }

  fileprivate func includes(_ device: UserDevice) -> Bool {
    names.contains { $0 == DeviceName(device.id, type: device.type) }
  }

  /// True if the subject of an order names this account.
  func isMeant(by subject: String) -> Bool {
    account.id == subject || (isOfThisSide && names.contains { $0.id == subject })
  }
}
