internal import AMEnrolments
internal import Accounts
internal import Approvals
internal import Configuration
public import ControlAPI
public import CourierLink
public import EventLoop
public import JSON
internal import Machine
internal import OpenIDConnect
internal import PingAM
public import PingOne
internal import PushRelay
internal import SelfService
public import Settings
public import SignOn
public import Time
internal import Usage
public import Vault

extension Service {
  /// Assembles the services and gives each one the other services that it needs.
  @EventLoop
  public init(
    vault: Vault,
    courier: CourierClient,
    description: DeviceDescription,
    settings: Settings,
    isMemoryLocked: Bool,
    confinement: [String],
    time: TimeSource,
    posture: @escaping @EventLoop () -> JSON,
    writtenPosture: @escaping @EventLoop () -> RawJSON
  ) {
    let core = Core(vault: vault, settings: settings, time: time)
    let backups = Backups(vault: vault, time: time)
    core.owners.whenErased { [backups] _ in backups.erasePendingOwners() }
    let devices = Devices(
      core,
      service: DeviceService(
        exchange: courier.send,
        description: description,
        pinnedKeys: Set(settings.current.platformKeys),
        time: time
      )
    )
    let accounts = Accounts(core) { [devices] in try devices.errorWithoutIdentity(of: $0) }
    let lock = PINLock(core)
    let writes = RateLimit.writes(time: time)
    let passcodes = Passcodes(core, accounts: accounts, writes: writes)
    let approvals = Approvals(core, accounts: accounts)
    let amAccounts = AMAccounts(core, accounts: accounts, passcodes: passcodes) {
      AMHostFacts(posture: posture())
    }
    let channels = PushChannels(devices: devices) { [amAccounts] owner in
      // A push address can be chosen before the first enrolment, so that the registration contains it.
      try !settings.current.enrolmentOrigins.isEmpty || !amAccounts.active(of: owner).isEmpty
    }
    let pingOne = PingOneServices(
      core,
      devices: devices,
      channels: channels,
      passcodes: passcodes,
      accounts: accounts,
      approvals: approvals,
      posture: posture
    )
    let pingAM = PingAMServices(
      core,
      accounts: amAccounts,
      server: AMServer(exchange: courier.send),
      approvals: approvals,
      channels: channels
    )
    let sessions = Sessions(core)
    let totp = TOTPAccounts(accounts: accounts, passcodes: passcodes)
    let directory = IssuerDirectory(courier: courier, settings: settings, time: time)
    let parts = SignOnParts(
      core,
      passcodes: passcodes,
      approvals: approvals,
      enrolments: accounts.enrolments,
      sessions: sessions,
      boundKeys: BoundKeys(core),
      platform: PairingPlatform(
        accounts: pingOne.accounts,
        devices: pingOne.devices,
        pairings: pingOne.pairings,
        payloads: pingOne.payloads
      ),
      passcodeSources: [totp, pingOne.accounts, amAccounts],
      tokenDevices: SelfService(
        core,
        accounts: totp,
        exchange: courier.send,
        machine: description.name
      ),
      sessionDevices: AMDeviceService(accounts: amAccounts),
      posture: posture
    )
    self.init(
      core: core,
      writes: writes,
      lock: lock,
      rollback: RollbackCounter(vault: vault, audit: core.audit),
      backups: backups,
      accounts: accounts,
      passcodes: passcodes,
      oath: OATHAccounts(accounts: accounts, passcodes: passcodes) { policies in
        AMPolicies(policies).firstUnmet(by: AMHostFacts(posture: posture()))?.rawValue
      },
      approvals: approvals,
      pingOne: pingOne,
      pingAM: pingAM,
      relays: PushRelays(
        core,
        courier: courier,
        channels: pingOne.channels
      ) { [approvals] in _ = try approvals.process($0, owner: $1) },
      signOn: SignOnService(directory: directory, parts: parts),
      directory: directory,
      sessions: sessions,
      examiner: DoctorProbes(core, courier: courier, devices: pingOne.devices, directory: directory),
      posture: writtenPosture,
      startedAt: time.now(),
      startedUptime: time.uptime(),
      isMemoryLocked: isMemoryLocked,
      confinement: confinement
    )
    core.requireComponents(DaemonSchema.components)
    let service = self
    vault.sealer.whenLockChanged { owner in
      guard let report = try? service.report(for: owner) else { return }
      core.events.publish(.service, of: owner, report)
    }
  }
}

extension PingOneServices {
  @EventLoop
  init(
    _ core: Core,
    devices: Devices,
    channels: PushChannels,
    passcodes: Passcodes,
    accounts: Accounts,
    approvals: Approvals,
    posture: @escaping @EventLoop () -> JSON
  ) {
    (self.devices, self.channels) = (devices, channels)
    self.accounts = PingOneAccounts(accounts: accounts, devices: devices)
    pushes = Pushes(core, devices: devices, accounts: self.accounts, approvals: approvals)
    poller = Poller(devices: devices, pushes: pushes, channels: channels)
    codes = Codes(core, devices: devices, accounts: self.accounts, approvals: approvals)
    pairings = Pairings(
      core,
      devices: devices,
      accounts: self.accounts,
      passcodes: passcodes,
      channels: channels,
      poller: poller,
      presence: approvals.presence
    )
    payloads = Payloads(core, devices: devices, channels: channels, posture: posture)
    reports = DeviceReports(devices: devices, accounts: self.accounts, channels: channels, poller: poller)
    logs = SupportLogs(
      core,
      devices: devices,
      channels: channels,
      poller: poller,
      approvals: approvals,
      reports: reports,
      version: Version.literal
    )
    pushTests = PushTests(
      devices: devices,
      pushes: pushes,
      channels: channels,
      poller: poller,
      reports: reports
    )
    approvals.register(
      PushApprover(devices: devices, accounts: self.accounts, approvals: approvals, posture: posture)
    )
    approvals.register(CodeApprover(devices: devices, approvals: approvals)) {
      [codes, events = core.events] in
      if let shown = try? codes.object($0) { events.publish(.authentication, of: $0.owner, shown) }
    }
  }
}

extension PairingPlatform {
  @EventLoop
  public init(accounts: PingOneAccounts, devices: Devices, pairings: Pairings, payloads: Payloads) {
    self.init(
      acceptedIssuers: { try await devices.acceptedIssuers(of: $0) },
      mobilePayload: { try await payloads.make(for: $0, audience: $1, challenge: $2).mobilePayload },
      pair: { try await pairings.pair($0, owner: $1) },
      pairingRequest: { try await pairings.pairingRequest(of: $0, owner: $1) },
      account: { user, owner in try accounts.active(of: owner).first { $0.user.id == user }?.account },
      user: {
        try accounts.account($0, of: $1).flatMap { $0.account.state == .activating ? nil : $0.user.id }
      }
    )
  }
}

extension DeviceDescription {
  /// Describes this machine for its registration.
  public static func thisMachine(applicationID: String) -> DeviceDescription {
    let names = MachineNames()
    return DeviceDescription(
      name: names.host,
      osVersion: "\(names.system) \(names.release)",
      applicationID: applicationID,
      version: Version.text
    )
  }
}

extension AMHostFacts {
  /// This machine does not authenticate users, so approvals involve no biometrics.
  ///
  /// The machine counts as tampered with if a user other than root and the daemon's own user can write the
  /// program or the state.
  fileprivate init(posture: JSON) {
    let findings = ["programProtected", "stateProtected"].map { posture[$0]?.string }
    self.init(hasBiometrics: false, tampering: findings.contains("no") ? 1 : 0)
  }
}
