internal import Accounts
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import Journal
internal import Vault

/// What the platforms know of this machine: asked for when somebody wants it and each day, and followed here.
@EventLoop
public final class DeviceReports {
  private let devices: Devices
  private let paired: PingOneAccounts
  private let channels: PushChannels
  private let poller: Poller
  private let refreshes = SingleFlight<OwnedKey, [DeviceRecord]>()
  private var logRequestObservers: [@EventLoop (Identity) -> Void] = []

  public init(devices: Devices, accounts: PingOneAccounts, channels: PushChannels, poller: Poller) {
    (self.devices, paired, self.channels, self.poller) = (devices, accounts, channels, poller)
    poller.whenReachableAgain { [weak self] in self?.refreshInBackground($0) }
    devices.core.owners.whenErased { [refreshes] in refreshes.cancelAll(of: $0) }
  }

  /// Calls a handler when a platform asks for the logs of a device.
  func whenLogsAreRequested(_ handler: @escaping @EventLoop (Identity) -> Void) {
    logRequestObservers.append(handler)
  }

  private static let day = Duration.seconds(86_400)
  private static let retryInterval = Duration.seconds(300)

  /// What the platform of each geography says of this machine; works for those that answer.
  public func report(of owner: uid_t) async throws -> DeviceReport {
    let identities = try devices.requireTrusted(of: owner)
    let questions = identities.map { identity in
      (identity, identity.deviceID ?? "", EventLoop.task { [self] in try await refresh(identity) })
    }
    var (geos, errors): ([DeviceReport.Geo], [GeographyError]) = ([], [])
    for (identity, device, question) in questions {
      do {
        var users = try await question.value
        if try devices.core.vault.isLocked(owner) { users = users.map(\.impersonal) }
        geos.append(DeviceReport.Geo(geography: identity.geography, deviceID: device, users: users))
      } catch let error as PlatformError {
        errors.append(GeographyError(identity.geography, error.rpcError))
      }
    }
    return DeviceReport(geos: geos, errors: errors)
  }

  /// Asks every platform now and each day what it knows of this machine, and tells it what it does not know yet.
  public func start() {
    EventLoop.task { [self] in
      do { try await devices.eachTrusted(pausing: .seconds(1)) { refreshInBackground($0) } } catch {
        Journal.warning("what the platforms know of this machine is asked tomorrow", ["reason": "\(error)"])
      }
    }
    devices.core.after(Self.day) { [weak self] in self?.start() }
  }

  /// Asks when nobody waits for the response; a device that does not poll learns by trying again that its platform
  /// is back.
  func refreshInBackground(_ identity: Identity) {
    EventLoop.task { [self] in
      do {
        try await channels.register(identity)
        _ = try await refresh(identity)
      } catch PlatformError.unreachable where !poller.isPolling(identity) {
        devices.core.after(Self.retryInterval) { [weak self] in
          if self?.devices.current(identity) != nil { self?.refreshInBackground(identity) }
        }
      } catch is PlatformError {
        // It is asked again each day, and whoever asks for the report hears of the error.
      } catch {
        Journal.warning(
          "what a platform knows of this machine could not be followed",
          ["geo": identity.geography, "uid": identity.owner]
        )
      }
    }
  }

  /// Asks a platform what it knows of this machine and follows it; those who ask meanwhile hear the same.
  func refresh(_ identity: Identity) async throws -> [DeviceRecord] {
    try await refreshes.run(identity.ownedKey, changing: devices.core.vault) { [self] in
      let known = try paired.active(of: identity.owner).filter { $0.identity == identity.id }
      let info = try await devices.call(identity) { try await $0.info($1) }
      try follow(info.users, known: known, identity)
      if info.areLogsRequested { for observer in logRequestObservers { observer(identity) } }
      return info.users
    }
  }

  /// Follows what a platform says of the accounts that were there when it was asked.
  private func follow(_ records: [DeviceRecord], known: [PingOneAccount], _ identity: Identity) throws {
    let current = try paired.table.all(of: identity.owner).filter { $0.identity == identity.id }
    try devices.core.vault.write { _ in
      for before in known {
        guard let now = current.first(where: { $0.account.id == before.account.id }), now.account.isActive
        else { continue }
        guard let record = records.first(where: { now.isMeant(by: $0) }) else {
          Journal.warning("the platform unpaired a user", ["geo": identity.geography, "uid": identity.owner])
          try paired.accounts.revoke(now.account)
          continue
        }
        try follow(record, before.account, now.account)
      }
    }
    let foreign = records.filter { record in !current.contains { $0.isMeant(by: record) } }.count
    if foreign > 0 {
      // Removed here alone, or restored there: the owner sees it in the report and decides.
      Journal.warning(
        "the platform has pairings that are not here",
        ["count": foreign, "geo": identity.geography, "uid": identity.owner]
      )
    }
  }

  /// What changed here while the platform was asked is newer than its response.
  private func follow(_ record: DeviceRecord, _ before: AccountRecord, _ now: AccountRecord) throws {
    let accounts = paired.accounts
    if before.lock == now.lock { try accounts.setLock(record.device.lock, on: now.id, of: now.owner) }
    guard before.nickname == now.nickname, record.device.nickname != now.nickname else { return }
    try accounts.setNickname(record.device.nickname, of: now)
    devices.core.vault.whenCommitted { _ = try? accounts.publish(now.id, of: now.owner) }
  }
}

extension PingOneAccount {
  fileprivate func isMeant(by record: DeviceRecord) -> Bool {
    environment == record.environment.id && user.id == record.user.id
  }
}
