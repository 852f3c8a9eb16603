public import Accounts
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Text
public import Vault

/// What one sign-on does with its user's devices, each thing by itself.
///
/// An account and its devices are one: what is done to either is done to both, at the other side first.
@EventLoop
public final class DeviceWork {
  public let orders: DeviceOrders
  public let accounts: Accounts
  /// The devices that there are.
  public var present: [UserDevice]
  /// What turned out to be gone, by account and by device.
  public var gone: Set<String> = []
  public var outcome = DeviceOutcome()
  private let directory: any DeviceDirectory
  private let owner: uid_t
  private let audit: Audit
  private let own: @EventLoop () throws -> [OwnDevices]

  /// Work for a user whose devices on this machine are the `own` ones.
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

  /// Does one thing; under the name of a method, which does the like, it leaves an entry of the audit.
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

  /// The devices that are meant: those of an account of this machine, or one that a person names twice.
  private func names(of subject: String, _ account: OwnDevices?) throws -> [DeviceName] {
    if let account { return account.names }
    guard let device = present.first(where: { $0.id == subject }) else {
      throw RPCError.notFound
        .saying("whoever signed on has no such device; an account that is gone there is removed here alone")
    }
    guard orders.confirm.contains(subject) else {
      throw RPCError.invalidParameter("devices")
        .saying("this device is not this machine's: it has to be named once more, in confirm")
    }
    return [DeviceName(device.id, type: device.type)]
  }
}

/// The devices of one user at another side, asked for in the user's name while a sign-on is being finished.
@EventLoop
public protocol DeviceDirectory: AnyObject {
  /// What tells this side and this user from all others.
  var identity: [String] { get }
  /// Fails once nobody waits any more for what is done: the sign-on was cancelled, or its owner erased.
  func checkCurrent() throws
  func list() async throws -> [UserDevice]
  /// Removes a device; one that is gone is as good.
  func delete(_ device: DeviceName) async throws
  func rename(_ device: DeviceName, to nickname: String) async throws
}

/// What the other side knows a device by.
public struct DeviceName: Sendable, Hashable {
  public let id: String
  public let type: String

  public init(_ id: String, type: String) { (self.id, self.type) = (id, type) }
}

/// An account of this machine, with the devices that it is to the other side; none before that told of any.
public struct OwnDevices: Sendable {
  public let account: AccountRecord
  public let names: [DeviceName]
  /// Whether it is surely of this side, so that whoever names a device of it means it too.
  let isOfThisSide: Bool

  public init(_ account: AccountRecord, _ names: [DeviceName], isOfThisSide: Bool = true) {
    (self.account, self.names, self.isOfThisSide) = (account, names, isOfThisSide)
  }

  fileprivate func includes(_ device: UserDevice) -> Bool {
    names.contains { $0 == DeviceName(device.id, type: device.type) }
  }

  /// Whether a subject of an order means it.
  func isMeant(by subject: String) -> Bool {
    account.id == subject || (isOfThisSide && names.contains { $0.id == subject })
  }
}
