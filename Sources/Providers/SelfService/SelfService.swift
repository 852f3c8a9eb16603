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

/// Management of users' own devices at PingOne during their sign-on.
@EventLoop
public final class SelfService: UserDeviceService {
  private let core: Core
  public let accounts: TOTPAccounts
  private let exchange: CourierExchange
  private let machine: String
  /// Owners with an operation in progress.
  private var busy: Set<uid_t> = []

  /// Creates the service; `machine` is the device name that users see in their device list.
  public init(
    _ core: Core,
    accounts: TOTPAccounts,
    exchange: @escaping CourierExchange,
    machine: String
  ) {
    (self.core, self.accounts, self.exchange, self.machine) = (core, accounts, exchange, machine)
  }

  /// Carries out the device orders of a sign-on; a failed order does not stop the others.
  ///
  /// Unfinished additions of a previous sign-on are completed first. After the end of the sign-on, no further
  /// order starts, and a device that is being added is removed again.
  public func carryOut(_ orders: DeviceOrders, _ grant: TokenGrant) async -> DeviceResult {
    do {
      guard busy.insert(grant.owner).inserted else { throw RPCError.pairingRunning }
      defer { busy.remove(grant.owner) }
      guard [grant.tenant.environment, ""].contains(grant.namedEnvironment) else {
        throw RPCError.serverError.withCause(.issuerMismatch)
      }
      guard grant.missingScopes.isEmpty else { throw RPCError.scopeRefused(grant.missingScopes) }
      let devices = try MFADevices(grant, machine, carriedBy: exchange, time: core.time)
      let present = try await devices.list()
      try devices.checkCurrent()
      let work = TOTPDeviceRunner(
        orders,
        grant,
        devices,
        accounts,
        core.audit,
        present: present,
        time: core.time
      )
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
  /// Returns the error for a wrong local clock; PingOne's clock is ahead by `offset` seconds.
  static func clockWrong(_ offset: Int) -> RPCError {
    .clockSkew(behind: offset, "PingOne's, so that passcodes may be refused")
  }
}
