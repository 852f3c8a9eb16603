internal import Accounts
internal import Approvals
internal import Configuration
package import ControlAPI
internal import EventLoop
package import Glibc
package import JSON
package import PingOne
internal import SQLite
internal import TestLoop
package import Vault

/// Actions of a user, each like a separate request.
extension Bench {
  /// Pairs the platform's user.
  @discardableResult
  package func pair(_ owner: uid_t = Bench.owner) async throws -> PairingInfo {
    let info = try await life.pairings.pair("01ABCDEFGHJKMN", owner: owner)
    try life.vault.commit()
    return info
  }

  /// Delivers a push and returns it as it is stored.
  @discardableResult
  package func receive(_ changes: JSONObject = [:]) throws -> NotificationObject? {
    let push = try life.pushes.process(.string(try push(changes)), owner: Self.owner)
    try life.vault.commit()
    return push
  }

  /// Returns the state of a push.
  package func state(of id: String) throws -> NotificationObject.State {
    guard let state = try life.approvals.notification(id, of: Self.owner).state.choice else {
      throw TestViolations(["\(id) has no state"])
    }
    return state
  }

  package func approve(_ id: String, number: Int? = nil) async throws -> NotificationResult {
    try await hearing {
      try await self.life.approvals.approve(id, method: "user", number: number, owner: Self.owner)
    }
  }

  package func deny(_ id: String) async throws -> NotificationResult {
    try await hearing { try await self.life.approvals.deny(id, reason: "NONE", owner: Self.owner) }
  }

  package func startCode(_ code: String = "ab12cd34") async throws -> AuthenticationObject {
    try await life.codes.start(code, owner: Self.owner)
  }

  package func approveCode(_ id: String, user: String? = nil) async throws -> AuthenticationObject.Status {
    try await hearing { try await self.life.codes.approve(id, user: user, owner: Self.owner) }
  }

  package func denyCode(_ id: String, user: String? = nil) async throws -> AuthenticationObject.Status {
    try await hearing { try await self.life.codes.deny(id, user: user, owner: Self.owner) }
  }

  /// Runs `body`, and throws the error that the owner gets if the server did not accept a decision.
  package func hearing<R>(_ body: @EventLoop () async throws -> R) async throws -> R {
    do { return try await body() } catch let refusal as Refusal { throw refusal.rpcError }
  }

  package func passcode(
    of account: String? = nil,
    next: Bool = false,
    owner: uid_t = Bench.owner
  ) throws -> TimedPasscode {
    guard let passcode = try life.passcodes.passcode(of: account, next: next, owner: owner).timed else {
      throw TestViolations(["the passcode is not one of the time"])
    }
    return passcode
  }

  /// Returns the owner's identity that the platform trusts.
  package func identity(of owner: uid_t = Bench.owner) throws -> Identity? {
    try life.devices.trusted(of: owner).first(where: \.isPrimary)
  }

  /// Returns the number of active accounts.
  package func pairedCount(of owner: uid_t = Bench.owner) throws -> Int {
    try life.accounts.activeCount(of: owner)
  }

  package func pendingCount(of owner: uid_t = Bench.owner) throws -> Int {
    try life.approvals.pendingCount(of: owner)
  }

  package func isPolling(of owner: uid_t = Bench.owner) throws -> Bool {
    try identity(of: owner).map { life.poller.isPolling($0) } ?? false
  }

  /// Returns the audit entries, oldest first.
  package func auditEntries(of owner: uid_t? = Bench.owner) throws -> [AuditEntry] {
    try life.audit.entries(of: owner, page: AuditList(parsing: nil).page).reversed()
  }
}

extension Vault {
  /// Returns the number of rows in a table.
  package func rows(_ table: Table) throws -> Int {
    try database.row(table.count) { $0.int(0) } ?? 0
  }

  /// Tables for `rows(_:)`.
  package enum Table {
    case account, pairing

    fileprivate var count: StaticString {
      switch self {
      case .account: "SELECT count(*) FROM account"
      case .pairing: "SELECT count(*) FROM pairing"
      }
    }
  }
}
