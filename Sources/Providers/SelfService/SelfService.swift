internal import Accounts
internal import Configuration
package import ControlAPI
package import CourierProtocol
package import EventLoop
internal import Glibc
internal import JSON
package import JSONRPC
internal import Journal
package import Time
package import Vault
package import Vault

/// What users may do with their own devices at PingOne, done while a sign-on of theirs is being finished.
@EventLoop
package final class SelfService {
  /// Carries one request to its server.
  package typealias Exchange = @EventLoop (CourierRequest) async throws(CourierFailure) -> CourierResponse

  package let accounts: TOTPAccounts
  private let audit: Audit
  private let exchange: Exchange
  private let time: TimeSource
  /// Owners for whom something is being done just now.
  private var busy: Set<uid_t> = []

  /// Beyond this a passcode may not be taken any more.
  private static let largestClockOffset = 60

  package init(accounts: TOTPAccounts, audit: Audit, exchange: @escaping Exchange, time: TimeSource) {
    (self.accounts, self.audit, self.exchange, self.time) = (accounts, audit, exchange, time)
  }

  /// Does what a sign-on is to do, each thing by itself; first what an earlier one left unfinished.
  ///
  /// Once it `isOver` nothing more is begun, and what was begun is taken back.
  package func carryOut(
    _ orders: DeviceOrders,
    _ grant: Grant,
    isOver: @escaping @EventLoop () -> Bool
  ) async -> DeviceOutcome {
    do {
      guard busy.insert(grant.owner).inserted else { throw RPCError.pairingRunning }
      defer { busy.remove(grant.owner) }
      guard [grant.tenant.environment, ""].contains(grant.namedEnvironment) else {
        throw RPCError.serverError.because(.issuerMismatch)
      }
      guard grant.missingScopes.isEmpty else { throw RPCError.scopeRefused(grant.missingScopes) }
      let devices = try MFADevices(grant, carriedBy: exchange, isOver: isOver, time: time)
      let present = try await devices.list()
      try devices.checkCurrent()
      let work = DeviceWork(orders, grant, devices, accounts, audit, present: present, time: time)
      var outcome = await work.carryOut()
      if abs(devices.clockOffset) > Self.largestClockOffset {
        outcome.problems.append(
          DeviceOutcome.Problem(DeviceOutcome.Problem.clock, .clockWrong(devices.clockOffset))
        )
      }
      return outcome
    } catch {
      return .failed(orders, RPCError(naming: error))
    }
  }
}

extension DeviceOutcome {
  /// Nothing of what was to be done could be.
  package static func failed(_ orders: DeviceOrders, _ error: RPCError) -> DeviceOutcome {
    let subjects =
      orders.add.map(\.rawValue) + orders.remove + [orders.rename?.account].compactMap { $0 }
      + (orders.lists ? ["list"] : [])
    var outcome = DeviceOutcome()
    outcome.problems = subjects.map { Problem($0, error) }
    return outcome
  }
}

extension RPCError {
  /// How wrong the clock of this machine is, in seconds that the other side is ahead.
  static func clockWrong(_ offset: Int) -> RPCError {
    let words = offset > 0 ? "\(offset) s behind" : "\(-offset) s ahead of"
    return .clockSkew.with(["offset": .int(offset)])
      .saying("the clock of this machine is \(words) PingOne's, so that passcodes may be refused")
  }
}
