package import Accounts
package import Approvals
package import Configuration
internal import ControlAPI
package import CourierLink
internal import CourierProtocol
package import DeviceBinding
package import EventLoop
internal import Glibc
package import JSON
internal import PingAM
package import PingOne
internal import PushRelay
package import SQLite
internal import SelfService
package import Settings
package import SignOn
package import Time
package import Vault

/// The services of a daemon put together, from a start to a crash.
package struct Life: Sendable {
  package let settings: Settings
  package let vault: Vault
  package let owners: Owners
  package let quota: Quota
  package let retention: Retention
  package let audit: Audit
  package let lock: PINLock
  package let hub: EventHub
  package let accounts: Accounts
  package let passcodes: Passcodes
  package let approvals: Approvals
  package let devices: Devices
  package let paired: PingOneAccounts
  package let channels: PushChannels
  package let pushes: Pushes
  package let poller: Poller
  package let codes: Codes
  package let pairings: Pairings
  package let payloads: Payloads
  package let reports: DeviceReports
  package let logs: SupportLogs
  package let pushTests: PushTests
  package let sessions: Sessions
  package let boundKeys: BoundKeys
  let line: Line

  package static let tables: [StaticString] = [
    Vault.schema, Accounts.schema, Approvals.schema, PingOneSchema.schema, Sessions.schema,
    SelfServiceSchema.schema, PingAMSchema.schema, PushRelaySchema.schema, DeviceBindingSchema.schema,
  ]
  package static let schema = DatabaseSchema(version: 1, tables)

  /// The way to the platform, until a crash cuts it.
  @EventLoop
  final class Line {
    var isCut = false
    let exchange: CourierExchange

    init(_ exchange: @escaping CourierExchange) { self.exchange = exchange }
  }

  /// The services over the state in a directory, which reach their platform by an exchange.
  @EventLoop
  package init(
    directory: String,
    configuration: Configuration,
    exchange: @escaping CourierExchange,
    time: TimeSource,
    posture: @escaping @EventLoop () -> JSON,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) throws {
    settings = Settings(configuration)
    let line = Line(exchange)
    self.line = line
    vault = try Vault(directory: directory, credential: "none", schema: Self.schema)
    owners = Owners(vault: vault, time: time, after: after)
    quota = Quota(owners)
    retention = Retention(vault: vault, settings: settings, time: time, after: after)
    audit = Audit(vault: vault, time: time)
    hub = EventHub()
    let service = DeviceService(
      exchange: { request throws(CourierFailure) in try await line.carry(request) },
      description: .desk,
      pinnedKeys: [],
      time: time
    )
    devices = Devices(
      service: service,
      owners: owners,
      vault: vault,
      settings: settings,
      audit: audit,
      time: time,
      after: after
    )
    accounts = Accounts(
      vault: vault,
      owners: owners,
      quota: quota,
      events: hub,
      time: time,
      errorWithoutAccounts: { [devices] in try devices.errorWithoutIdentity(of: $0) },
      after: after
    )
    lock = PINLock(vault: vault, owners: owners, time: time, lane: accounts.imports.lane, after: after)
    passcodes = Passcodes(accounts: accounts, writes: WriteLimits(time: time), time: time)
    approvals = Approvals(
      accounts: accounts,
      quota: quota,
      retention: retention,
      audit: audit,
      settings: settings,
      time: time,
      after: after
    )
    paired = PingOneAccounts(accounts: accounts, devices: devices)
    channels = PushChannels(devices: devices) { _ in false }
    pushes = Pushes(
      devices: devices,
      accounts: paired,
      approvals: approvals,
      quota: quota,
      retention: retention,
      time: time
    )
    poller = Poller(devices: devices, pushes: pushes, channels: channels)
    codes = Codes(devices: devices, accounts: paired, approvals: approvals, quota: quota, time: time)
    pairings = Pairings(
      devices: devices,
      accounts: paired,
      passcodes: passcodes,
      channels: channels,
      poller: poller,
      presence: approvals.presence,
      quota: quota,
      retention: retention,
      audit: audit,
      time: time,
      after: after
    )
    payloads = Payloads(devices: devices, channels: channels, quota: quota, time: time, posture: posture)
    reports = DeviceReports(devices: devices, accounts: paired, channels: channels, poller: poller)
    logs = SupportLogs(
      devices: devices,
      channels: channels,
      poller: poller,
      approvals: approvals,
      reports: reports,
      audit: audit,
      version: "9.8.7"
    )
    pushTests = PushTests(
      devices: devices,
      pushes: pushes,
      channels: channels,
      poller: poller,
      reports: reports
    )
    sessions = Sessions(
      vault: vault,
      owners: owners,
      quota: quota,
      accounts: paired,
      devices: devices,
      time: time
    )
    boundKeys = BoundKeys(vault: vault, owners: owners, quota: quota, time: time)
    approvals.register(
      PushApprover(devices: devices, accounts: paired, approvals: approvals, posture: posture)
    )
    approvals.register(CodeApprover(devices: devices, approvals: approvals)) { [codes, hub] in
      if let shown = try? codes.object($0) { hub.publish(.authentication, of: $0.owner, shown) }
    }
  }
}
