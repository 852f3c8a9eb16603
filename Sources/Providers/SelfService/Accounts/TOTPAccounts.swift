public import Accounts
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
public import Time
public import Vault

/// The accounts that are passcode devices at PingOne.
///
/// No credential of the user at PingOne is stored. A change of the device at PingOne therefore needs a
/// sign-on.
@EventLoop
public final class TOTPAccounts: AccountKind, PasscodeSource {
  public nonisolated var kind: Account.Kind { .pingOneTOTP }
  public let accounts: Accounts
  let passcodes: Passcodes
  let table: TOTPAccountTable

  public init(accounts: Accounts, passcodes: Passcodes) {
    (self.accounts, self.passcodes) = (accounts, passcodes)
    table = TOTPAccountTable(accounts: accounts)
    accounts.register(self)
    accounts.core.register(self)
  }

  /// True, because the owner must see an account that only the next sign-on can complete.
  public nonisolated var showsUnfinished: Bool { true }

  public func describe(_ account: AccountRecord) throws -> AccountDetails {
    guard let known = try table.account(account) else { throw RPCError.noSuch("account") }
    return AccountDetails(
      environment: known.environment,
      user: known.user,
      authenticators: account.state == .activating
        ? [] : [PairedAuthenticator(type: "OTP", status: "COMPLETED")]
    )
  }

  public func rename(_ account: AccountRecord, to nickname: String) async throws {
    throw RPCError.signOnNeeded("authctl devices rename")
  }

  public func remove(_ account: AccountRecord) async throws {
    throw RPCError.signOnNeeded("authctl devices remove")
  }

  public func accounts(
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

  /// Returns the accounts, in any state, that are devices of this user in this environment.
  func devices(of user: String, in environment: String, owner: uid_t) throws -> [TOTPAccount] {
    try table.all(of: owner).filter { $0.environment == environment && $0.user.id == user }
  }
}

extension TOTPAccounts: OwnedComponent {
  public nonisolated static let schema: StaticString = """
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

  public nonisolated static var restoration: RestorationRules { .none }

  public func usage(of owner: uid_t) -> Quota.Usage { .none }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) {}

  public func forget(_ owner: uid_t) {}
}
