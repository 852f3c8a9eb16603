internal import Accounts
internal import Configuration
public import ControlAPI
public import CourierLink
public import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import Time
public import UserDevices
public import Vault

/// What users may do with their own devices at PingOne, done while a sign-on of theirs is being finished.
@EventLoop
public final class SelfService: UserDeviceService {
  private let core: Core
  public let accounts: TOTPAccounts
  private let exchange: CourierExchange
  private let machine: String
  /// Owners for whom something is being done just now.
  private var busy: Set<uid_t> = []

  /// The name of the machine is what its user finds it by among their devices.
  public init(
    _ core: Core,
    accounts: TOTPAccounts,
    exchange: @escaping CourierExchange,
    machine: String
  ) {
    (self.core, self.accounts, self.exchange, self.machine) = (core, accounts, exchange, machine)
  }

  /// Does what a sign-on is to do, each thing by itself; first what an earlier one left unfinished.
  ///
  /// Once the sign-on is over nothing more is begun, and what was begun is taken back.
  public func carryOut(_ orders: DeviceOrders, _ grant: TokenGrant) async -> DeviceResult {
    do {
      guard busy.insert(grant.owner).inserted else { throw RPCError.pairingRunning }
      defer { busy.remove(grant.owner) }
      guard [grant.tenant.environment, ""].contains(grant.namedEnvironment) else {
        throw RPCError.serverError.because(.issuerMismatch)
      }
      guard grant.missingScopes.isEmpty else { throw RPCError.scopeRefused(grant.missingScopes) }
      let devices = try MFADevices(grant, machine, carriedBy: exchange, time: core.time)
      let present = try await devices.list()
      try devices.checkCurrent()
      let work = TOTPWork(orders, grant, devices, accounts, core.audit, present: present, time: core.time)
      var outcome = await work.carryOut()
      if devices.isClockWrong {
        outcome.problems.append(
          DeviceOutcome.Problem(DeviceOutcome.Problem.clock, .clockWrong(devices.clockOffset))
        )
      }
      return DeviceResult(user: grant.user, outcome: outcome)
    } catch {
      return DeviceResult(user: grant.user, outcome: .failed(orders, RPCError(naming: error)))
    }
  }
}

extension RPCError {
  /// How wrong the clock of this machine is, in seconds that the other side is ahead.
  static func clockWrong(_ offset: Int) -> RPCError {
    .clockSkew(behind: offset, "PingOne's, so that passcodes may be refused")
  }
}
