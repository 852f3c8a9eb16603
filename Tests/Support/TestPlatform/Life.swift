package import Accounts
package import Approvals
package import Configuration
internal import ControlAPI
package import CourierLink
internal import CourierProtocol
internal import Daemon
package import EventLoop
internal import Glibc
package import JSON
package import PingOne
internal import SQLite
internal import Settings
package import SignOn
package import Time
package import Vault

/// The assembled services of a daemon, from a start to a crash.
@dynamicMemberLookup
package struct Life: Sendable {
  package let core: Core
  package let lock: PINLock
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

  /// The connection to the platform, until a crash cuts it.
  @EventLoop
  final class Line {
    var isCut = false
    let exchange: CourierExchange

    init(_ exchange: @escaping CourierExchange) { self.exchange = exchange }
  }

  package subscript<Value>(dynamicMember member: KeyPath<Core, Value>) -> Value { core[keyPath: member] }

  /// The services with the state in a directory, which reach their platform by `exchange`.
  @EventLoop
  package init(
    directory: String,
    configuration: Configuration,
    exchange: @escaping CourierExchange,
    time: TimeSource,
    posture: @escaping @EventLoop () -> JSON,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) throws {
    let line = Line(exchange)
    self.line = line
    core = Core(
      vault: try Vault(directory: directory, credential: "none", schema: DaemonSchema.current),
      settings: Settings(configuration),
      time: time,
      after: after
    )
    let service = DeviceService(
      exchange: { request throws(CourierFailure) in try await line.carry(request) },
      description: .desk,
      pinnedKeys: [],
      time: time
    )
    devices = Devices(core, service: service)
    accounts = Accounts(core) { [devices] in try devices.errorWithoutIdentity(of: $0) }
    lock = PINLock(core)
    passcodes = Passcodes(core, accounts: accounts, writes: RateLimit.writes(time: time))
    approvals = Approvals(core, accounts: accounts)
    paired = PingOneAccounts(accounts: accounts, devices: devices)
    channels = PushChannels(devices: devices) { _ in false }
    pushes = Pushes(core, devices: devices, accounts: paired, approvals: approvals)
    poller = Poller(devices: devices, pushes: pushes, channels: channels)
    codes = Codes(core, devices: devices, accounts: paired, approvals: approvals)
    pairings = Pairings(
      core,
      devices: devices,
      accounts: paired,
      passcodes: passcodes,
      channels: channels,
      poller: poller,
      presence: approvals.presence
    )
    payloads = Payloads(core, devices: devices, channels: channels, posture: posture)
    reports = DeviceReports(devices: devices, accounts: paired, channels: channels, poller: poller)
    logs = SupportLogs(
      core,
      devices: devices,
      channels: channels,
      poller: poller,
      approvals: approvals,
      reports: reports,
      version: "9.8.7"
    )
    pushTests = PushTests(
      devices: devices,
      pushes: pushes,
      channels: channels,
      poller: poller,
      reports: reports
    )
    sessions = Sessions(core)
    boundKeys = BoundKeys(core)
    approvals.register(
      PushApprover(devices: devices, accounts: paired, approvals: approvals, posture: posture)
    )
    approvals.register(CodeApprover(devices: devices, approvals: approvals)) {
      [codes, events = core.events] in
      if let shown = try? codes.object($0) { events.publish(.authentication, of: $0.owner, shown) }
    }
  }
}
