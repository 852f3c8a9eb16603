package import ControlAPI
internal import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal
internal import SQLite

extension Authenticator {
  private static let day = Duration.seconds(86_400)
  private static let retryInterval = Duration.seconds(300)

  /// What the platform of each geography says of this machine; works for those that answer.
  package func deviceReport(of owner: uid_t) async throws -> DeviceReport {
    let identities = try requireTrustedIdentities(of: owner)
    let questions = identities.map { identity in
      (identity, identity.deviceID ?? "", EventLoop.task { [self] in try await refresh(identity) })
    }
    var (geos, errors): ([DeviceReport.Geo], [GeographyError]) = ([], [])
    for (identity, device, question) in questions {
      do {
        let users = try await question.value
        geos.append(DeviceReport.Geo(geography: identity.geography, deviceID: device, users: users))
      } catch let error as PlatformError {
        errors.append(GeographyError(identity.geography, error.rpcError))
      }
    }
    return DeviceReport(geos: geos, errors: errors)
  }

  /// Asks every platform now and each day what it knows of this machine, and tells it what it does not know yet.
  package func startRefreshing() {
    for identity in (try? identities()) ?? [] where identity.deviceID != nil { refreshInBackground(identity) }
    after(Self.day) { [weak self] in self?.startRefreshing() }
  }

  /// Asks when nobody waits for the answer; a device that does not poll learns by trying again that its platform
  /// is back.
  func refreshInBackground(_ identity: Identity) {
    EventLoop.task { [self] in
      do {
        try await registerPush(identity)
        _ = try await refresh(identity)
      } catch PlatformError.unreachable where pollers[identity.id] == nil {
        after(Self.retryInterval) { [weak self] in
          if self?.isInUse(identity) == true { self?.refreshInBackground(identity) }
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
    if let running = refreshes[identity.id] { return try await running.value }
    let task = EventLoop.task { [self] in
      defer { refreshes[identity.id] = nil }
      let known = try store.accounts(of: identity.owner).filter {
        $0.isActive && $0.identity == identity.id
      }
      let info = try await ask(identity) { try await $0.info(identity) }
      try follow(info.users, known: known, identity)
      if info.areLogsRequested { answerLogRequest(identity) }
      return info.users
    }
    refreshes[identity.id] = task
    return try await task.value
  }

  /// Follows what a platform says of the accounts that were there when it was asked.
  private func follow(_ records: [DeviceRecord], known: [AccountRecord], _ identity: Identity) throws {
    let accounts = try store.accounts(of: identity.owner).filter { $0.identity == identity.id }
    func find(_ record: DeviceRecord, in accounts: [AccountRecord]) -> AccountRecord? {
      accounts.first { $0.environment == record.environment && $0.user.id == record.user.id }
    }
    try store.transaction { _ in
      for account in known {
        guard let current = accounts.first(where: { $0.id == account.id }), current.isActive else { continue }
        guard let record = records.first(where: { find($0, in: [account]) != nil }) else {
          Journal.warning("the platform unpaired a user", ["geo": identity.geography, "uid": identity.owner])
          try revoke(current)
          continue
        }
        // What changed here while the platform was asked is newer than its answer.
        if account.lock == current.lock { try setLock(record.lock, on: account.id, of: identity.owner) }
        guard account.nickname == current.nickname, record.nickname != current.nickname else { continue }
        try store.setPlatformNickname(record.nickname, of: account.id)
        store.whenCommitted { [weak self] in _ = try? self?.publish(account.id, of: identity.owner) }
      }
    }
    let foreign = records.filter { find($0, in: accounts) == nil }.count
    if foreign > 0 {
      // Removed here alone, or restored there: the owner sees it in the report and decides.
      Journal.warning(
        "the platform has pairings that are not here",
        ["count": foreign, "geo": identity.geography, "uid": identity.owner]
      )
    }
  }
}

extension Store {
  /// Stores what the platform calls an account.
  fileprivate func setPlatformNickname(_ nickname: String?, of id: String) throws {
    try database.run("UPDATE account SET nickname = ? WHERE id = ?", SQLValue(nickname), .text(id))
  }
}
