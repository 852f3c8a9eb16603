internal import Accounts
internal import Approvals
internal import ControlAPI
internal import EventLoop
internal import OpenIDConnect
internal import PingAM
public import PingOne
public import PushRelay
internal import SignOn
internal import Time
public import Vault

/// The components that handlers use.
///
/// Each keeps its own state.
public struct Service: Sendable {
  public let core: Core
  let writes: RateLimit
  let lock: PINLock
  let rollback: RollbackCounter
  let backups: Backups
  let accounts: Accounts
  let passcodes: Passcodes
  let oath: OATHAccounts
  let approvals: Approvals
  @EventLoop var presence: PresenceCheck { approvals.presence }
  public let pingOne: PingOneServices
  let pingAM: PingAMServices
  public let relays: PushRelays
  let signOn: SignOnService
  let directory: IssuerDirectory
  let sessions: Sessions
  let examiner: DoctorProbes
  let posture: @EventLoop () -> RawJSON
  let startedAt: Timestamp
  let startedUptime: Duration
  let isMemoryLocked: Bool
  let confinement: [String]
  let clock = SystemClock()
  let counters = TrafficCounters()
}

/// Components for PingAM accounts.
struct PingAMServices: Sendable {
  let accounts: AMAccounts
  let enroller: AMEnroller
  let refresh: AMTokenRefresh
  let pushes: AMPushes
}

/// Components for the PingOne device service.
public struct PingOneServices: Sendable {
  let devices: Devices
  let accounts: PingOneAccounts
  let channels: PushChannels
  let pushes: Pushes
  public let poller: Poller
  let codes: Codes
  let pairings: Pairings
  let payloads: Payloads
  let reports: DeviceReports
  let logs: SupportLogs
  let pushTests: PushTests
}
