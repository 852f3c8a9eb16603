internal import AMEnrolments
internal import Accounts
internal import Approvals
internal import Configuration
package import ControlAPI
package import CourierLink
internal import DeviceBinding
package import EventLoop
package import JSON
internal import Machine
internal import OpenIDConnect
internal import PingAM
package import PingOne
internal import PushRelay
internal import SelfService
package import Settings
internal import SignOn
package import Time
internal import Usage
package import Vault

extension Service {
  /// The services put together; each is handed what it needs of the others.
  @EventLoop
  package init(
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
    let owners = Owners(vault: vault, time: time)
    let quota = Quota(owners)
    let retention = Retention(vault: vault, settings: settings, time: time)
    let audit = Audit(vault: vault, time: time)
    let backups = Backups(vault: vault, time: time)
    owners.whenErased { [backups] _ in backups.eraseOwed() }
    let devices = Devices(
      service: DeviceService(
        exchange: courier.send,
        description: description,
        pinnedKeys: Set(settings.current.platformKeys),
        time: time
      ),
      owners: owners,
      vault: vault,
      settings: settings,
      audit: audit,
      time: time
    )
    let accounts = Accounts(
      vault: vault,
      owners: owners,
      quota: quota,
      events: EventHub(),
      time: time,
      errorWithoutAccounts: { [devices] in try devices.errorWithoutIdentity(of: $0) }
    )
    let lock = PINLock(vault: vault, owners: owners, time: time, lane: accounts.imports.lane)
    let writes = WriteLimits(time: time)
    let passcodes = Passcodes(accounts: accounts, writes: writes, time: time)
    let approvals = Approvals(
      accounts: accounts,
      quota: quota,
      retention: retention,
      audit: audit,
      settings: settings,
      time: time
    )
    let amAccounts = AMAccounts(accounts: accounts, passcodes: passcodes, quota: quota) {
      AMHostFacts(posture: posture())
    }
    let channels = PushChannels(devices: devices) { [amAccounts] owner in
      // An address that is chosen first is in the registration already.
      try !settings.current.enrolmentOrigins.isEmpty || !amAccounts.active(of: owner).isEmpty
    }
    let pingOne = PingOneServices(
      devices: devices,
      channels: channels,
      passcodes: passcodes,
      accounts: accounts,
      approvals: approvals,
      quota: quota,
      retention: retention,
      audit: audit,
      time: time,
      posture: posture
    )
    let pingAM = PingAMServices(
      accounts: amAccounts,
      server: AMServer(exchange: courier.send),
      approvals: approvals,
      quota: quota,
      retention: retention,
      channels: channels,
      settings: settings,
      time: time
    )
    let sessions = Sessions(
      vault: vault,
      owners: owners,
      quota: quota,
      accounts: pingOne.accounts,
      devices: pingOne.devices,
      time: time
    )
    let directory = IssuerDirectory(courier: courier, settings: settings, time: time)
    let parts = SignOnParts(
      owners: owners,
      audit: audit,
      settings: settings,
      accounts: pingOne.accounts,
      passcodes: passcodes,
      approvals: approvals,
      devices: pingOne.devices,
      payloads: pingOne.payloads,
      pairings: pingOne.pairings,
      sessions: sessions,
      selfService: SelfService(
        accounts: TOTPAccounts(accounts: accounts, passcodes: passcodes),
        audit: audit,
        exchange: courier.send,
        machine: description.name,
        time: time
      ),
      amDevices: AMDeviceService(accounts: pingAM.accounts, audit: audit),
      boundKeys: BoundKeys(vault: vault, owners: owners, quota: quota, time: time)
    )
    self.init(
      vault: vault,
      owners: owners,
      writes: writes,
      retention: retention,
      audit: audit,
      lock: lock,
      rollback: RollbackCounter(vault: vault, audit: audit),
      backups: backups,
      accounts: accounts,
      passcodes: passcodes,
      oath: OATHAccounts(accounts: accounts, passcodes: passcodes),
      approvals: approvals,
      pingOne: pingOne,
      pingAM: pingAM,
      relays: PushRelays(
        courier: courier,
        vault: vault,
        channels: pingOne.channels,
        settings: settings,
        time: time
      ) { [approvals] in _ = try approvals.process($0, owner: $1) },
      signOn: SignOnService(directory: directory, parts: parts, time: time),
      directory: directory,
      sessions: sessions,
      examiner: Examiner(
        courier: courier,
        settings: settings,
        devices: pingOne.devices,
        directory: directory,
        vault: vault,
        time: time
      ),
      settings: settings,
      time: time,
      posture: writtenPosture,
      startedAt: time.now(),
      startedUptime: time.uptime(),
      isMemoryLocked: isMemoryLocked,
      confinement: confinement
    )
    let service = self
    vault.sealer.whenLockChanged { owner in
      guard let report = try? service.report(for: owner) else { return }
      service.accounts.events.publish(.service, of: owner, report)
    }
  }
}

extension PingOneServices {
  @EventLoop
  init(
    devices: Devices,
    channels: PushChannels,
    passcodes: Passcodes,
    accounts: Accounts,
    approvals: Approvals,
    quota: Quota,
    retention: Retention,
    audit: Audit,
    time: TimeSource,
    posture: @escaping @EventLoop () -> JSON
  ) {
    (self.devices, self.channels) = (devices, channels)
    self.accounts = PingOneAccounts(accounts: accounts, devices: devices)
    pushes = Pushes(
      devices: devices,
      accounts: self.accounts,
      approvals: approvals,
      quota: quota,
      retention: retention,
      time: time
    )
    poller = Poller(devices: devices, pushes: pushes, channels: channels)
    codes = Codes(
      devices: devices,
      accounts: self.accounts,
      approvals: approvals,
      quota: quota,
      time: time
    )
    pairings = Pairings(
      devices: devices,
      accounts: self.accounts,
      passcodes: passcodes,
      channels: channels,
      poller: poller,
      presence: approvals.presence,
      quota: quota,
      retention: retention,
      audit: audit,
      time: time
    )
    payloads = Payloads(devices: devices, channels: channels, quota: quota, time: time, posture: posture)
    reports = DeviceReports(devices: devices, accounts: self.accounts, channels: channels, poller: poller)
    logs = SupportLogs(
      devices: devices,
      channels: channels,
      poller: poller,
      approvals: approvals,
      reports: reports,
      audit: audit,
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
      [codes, events = accounts.events] in
      if let shown = try? codes.object($0) { events.publish(.authentication, of: $0.owner, shown) }
    }
  }
}

extension DeviceDescription {
  /// What this machine says of itself when it is introduced.
  package static func thisMachine(applicationID: String) -> DeviceDescription {
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
  /// Nobody is recognized by this machine itself, so that no biometrics stand behind an approval; a program or a state
  /// that others than root and its user can change counts as changed.
  fileprivate init(posture: JSON) {
    let findings = ["programProtected", "stateProtected"].map { posture[$0]?.string }
    self.init(hasBiometrics: false, tampering: findings.contains("no") ? 1 : 0)
  }
}
