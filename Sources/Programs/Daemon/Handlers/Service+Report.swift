internal import Accounts
internal import Approvals
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import OpenSSL
internal import PingOne
internal import Settings
internal import Time
internal import Usage
internal import Vault
internal import WebAddress

extension Service {
  /// Returns the status of the service that one owner may see.
  ///
  /// Works without the key-encryption key.
  @EventLoop
  func report(for owner: uid_t) throws -> ServiceStatusReport {
    if let problem = core.settings.problem {
      return report(for: owner, misconfigured: Misconfiguration(problem))
    }
    let identities = try pingOne.devices.identities(of: owner)
    let trusted = identities.first(where: \.isTrusted)
    // Without a trusted identity, report the platform of an untrusted one, since it was contacted as well.
    let tried = trusted ?? identities.first
    let platform = tried.map { pingOne.devices.platform($0.url) }
    return ServiceStatusReport(
      version: Version.text,
      startedAt: startedAt,
      uptime: (core.time.uptime() - startedUptime).wholeSeconds,
      owner: try ownerStatus(owner, trusted),
      platform: ServiceStatusReport.Platform(
        url: (platform?.url.text ?? core.settings.current.anyPlatform?.text ?? "").droppingLastSlash,
        isPinned: pingOne.devices.isPinned(tried),
        isReachable: platform?.isReachable,
        lastContact: platform?.lastContact
      ),
      sealing: core.vault.sealer.source,
      isMemoryLocked: isMemoryLocked && SecretMemory.holdsAll,
      pin: try lock.state(of: owner).shown,
      presence: ServiceStatusReport.Presence(
        methods: try presence.methods(of: owner),
        requirement: try presence.requirement(of: owner)
      ),
      confinement: confinement,
      rollback: rollback.isKept ? .file : .none,
      rolledBackAt: rollback.noticedAt,
      isChecking: core.vault.check.isUnderWay,
      isClockSynchronized: clock.isSynchronized(at: core.time.uptime()),
      clockOffset: tried?.isTrusted == true ? platform?.clockOffset : nil,
      posture: posture()
    )
  }

  /// Reports nothing about the state and creates no files, since an invalid configuration may name the wrong
  /// state directory.
  @EventLoop
  private func report(for owner: uid_t, misconfigured: Misconfiguration) -> ServiceStatusReport {
    ServiceStatusReport(
      version: Version.text,
      startedAt: startedAt,
      uptime: (core.time.uptime() - startedUptime).wholeSeconds,
      misconfigured: misconfigured,
      owner: ServiceStatusReport.Owner(
        uid: owner,
        isConfigured: false,
        geography: nil,
        paired: 0,
        pending: 0,
        isPolling: false
      ),
      platform: ServiceStatusReport.Platform(url: "", isPinned: false, isReachable: nil, lastContact: nil),
      sealing: "unavailable",
      isMemoryLocked: isMemoryLocked && SecretMemory.holdsAll,
      pin: .none,
      presence: ServiceStatusReport.Presence(
        methods: [],
        requirement: core.settings.current.requiredPresence
      ),
      confinement: confinement,
      rollback: .none,
      isClockSynchronized: clock.isSynchronized(at: core.time.uptime()),
      clockOffset: nil,
      posture: posture()
    )
  }

  @EventLoop
  private func ownerStatus(_ owner: uid_t, _ identity: Identity?) throws -> ServiceStatusReport.Owner {
    let geography = try identity?.geography ?? pingOne.devices.geography(of: owner)
    return ServiceStatusReport.Owner(
      uid: owner,
      isConfigured: geography != nil,
      geography: (geography ?? core.settings.current.geography).map(Open.known),
      paired: try accounts.activeCount(of: owner),
      pending: try approvals.pendingCount(of: owner),
      isPolling: identity.map { pingOne.poller.isPolling($0) } ?? false
    )
  }

  /// Returns the counters and resource usage of the service, for all owners.
  @EventLoop
  func figures() throws -> ServiceFigures {
    let totals = try approvals.totals()
    return ServiceFigures(
      connections: counters.connections,
      requests: counters.figures,
      owners: try core.owners.all().count,
      notifications: ServiceFigures.Notifications(pending: totals.pending, total: totals.ever),
      residentBytes: ProcessFigures.residentBytes(),
      openFiles: ProcessFigures.openFiles(),
      databaseBytes: core.vault.databaseSize,
      approvals: approvals.endings.figures,
      platforms: pingOne.devices.contactedPlatforms.map {
        ServiceFigures.Platform(
          url: $0.url.text.droppingLastSlash,
          isReachable: $0.isReachable,
          lastContact: $0.lastContact
        )
      },
      lastBackup: backups.directory.all().first?.createdAt
    )
  }
}

extension PINLock.State {
  fileprivate var shown: ServiceStatusReport.Protection.PIN {
    switch self {
    case .none: .none
    case .locked: .locked
    case .unlocked: .unlocked
    case .disabled: .disabled
    }
  }
}

extension Configuration {
  fileprivate var anyPlatform: WebURL? { platform ?? platforms.values.first }
}
