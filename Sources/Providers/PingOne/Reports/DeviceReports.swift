internal import Accounts
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import Journal
internal import Vault

/// The platforms' records of this machine, fetched daily and on request, and applied to the accounts.
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

  /// Calls a handler when a platform requests the logs of a device.
  func whenLogsAreRequested(_ handler: @escaping @EventLoop (Identity) -> Void) {
    logRequestObservers.append(handler)
  }

  private static let day = Duration.seconds(86_400)
  private static let retryInterval = Duration.seconds(300)

  /// Returns the records of each geography's platform, and errors for platforms that fail.
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

  /// Refreshes the records of each trusted identity now and daily, and sends pending channel registrations.
  public func start() {
    EventLoop.task { [self] in
      do { try await devices.eachTrusted(pausing: .seconds(1)) { refreshInBackground($0) } } catch {
        Journal.warning("device records could not be refreshed; next try tomorrow", ["reason": "\(error)"])
      }
    }
    devices.core.after(Self.day) { [weak self] in self?.start() }
  }

  /// Refreshes an identity's records in the background.
  ///
  /// If the platform is unreachable, the refresh is repeated every five minutes. If the device polls, the
  /// next refresh starts instead when a poll reaches the platform again.
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
        // The daily refresh tries again. A report that a client requests contains the error.
      } catch {
        Journal.warning(
          "device records of a platform could not be applied",
          ["geo": identity.geography, "uid": identity.owner]
        )
      }
    }
  }

  /// Fetches a platform's records and applies them; concurrent callers share one request.
  func refresh(_ identity: Identity) async throws -> [DeviceRecord] {
    try await refreshes.run(identity.ownedKey, changing: devices.core.vault) { [self] in
      let known = try paired.active(of: identity.owner).filter { $0.identity == identity.id }
      let info = try await devices.call(identity) { try await $0.info($1) }
      try follow(info.users, known: known, identity)
      if info.areLogsRequested { for observer in logRequestObservers { observer(identity) } }
      return info.users
    }
  }

  /// Applies a platform's records to the accounts that existed before the request.
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
      // The account was removed only here, or the pairing was restored at the platform. The report shows the
      // pairing, and the owner decides.
      Journal.warning(
        "the platform has pairings that do not exist here",
        ["count": foreign, "geo": identity.geography, "uid": identity.owner]
      )
    }
  }

  /// Applies one record; local changes during the request take precedence.
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
