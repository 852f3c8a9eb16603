package import Accounts
package import ControlAPI
package import EventLoop
package import Glibc
internal import JSON
internal import JSONRPC
package import Time
package import Vault

/// The accounts that are passcode devices at PingOne.
///
/// Nothing is kept here that could speak for their user there: what
/// concerns both sides is done in a sign-on.
@EventLoop
package final class TOTPAccounts: AccountKind, PasscodeSource {
  package nonisolated var kind: Account.Kind { .pingOneTOTP }
  package let accounts: Accounts
  let passcodes: Passcodes
  let table: TOTPAccountTable

  package init(accounts: Accounts, passcodes: Passcodes) {
    (self.accounts, self.passcodes) = (accounts, passcodes)
    table = TOTPAccountTable(accounts: accounts)
    accounts.register(self)
    accounts.core.register(self)
  }

  /// Only the next sign-on can finish one, and until then its owner has to see it.
  package nonisolated var showsUnfinished: Bool { true }

  package func describe(_ account: AccountRecord) throws -> AccountDetails {
    guard let known = try table.account(account) else { throw RPCError.noSuch("account") }
    return AccountDetails(
      environment: known.environment,
      user: known.user,
      authenticators: account.state == .activating
        ? [] : [PairedAuthenticator(type: "OTP", status: "COMPLETED")]
    )
  }

  package func rename(_ account: AccountRecord, to nickname: String) async throws {
    throw RPCError.signOnNeeded("authctl devices rename")
  }

  package func remove(_ account: AccountRecord) async throws {
    throw RPCError.signOnNeeded("authctl devices remove")
  }

  package func accounts(
    makingPasscodesFor receiver: String,
    user: String?,
    device: String?,
    of owner: uid_t
  ) throws -> [AccountRecord] {
    try table.all(of: owner).filter {
      $0.account.isActive && $0.issuer.hasSameBytes(as: receiver) && (user == nil || $0.user.id == user)
        && (device == nil || $0.device == device)
    }.map(\.account)
  }

  /// The accounts that are devices of a user of an environment, however far they are.
  func devices(of user: String, in environment: String, owner: uid_t) throws -> [TOTPAccount] {
    try table.all(of: owner).filter { $0.environment == environment && $0.user.id == user }
  }
}

extension TOTPAccounts: OwnedComponent {
  package nonisolated static let schema: StaticString = """
    CREATE TABLE pingone_totp_account (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      issuer TEXT NOT NULL,
      environment TEXT NOT NULL,
      user BLOB NOT NULL,
      device TEXT,
      others TEXT NOT NULL,
      begun_at INTEGER NOT NULL
    ) STRICT;
    """

  package nonisolated static var restoration: RestorationRules { .none }

  package func usage(of owner: uid_t) -> Quota.Usage { .none }

  package func reclaim(from owner: uid_t) {}

  package func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  package func guardSecrets(of owner: uid_t) {}

  package func forget(_ owner: uid_t) {}
}
