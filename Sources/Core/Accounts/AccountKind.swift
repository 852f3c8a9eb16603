public import Configuration
public import ControlAPI
public import EventLoop
internal import JSON
public import JSONRPC

/// The behaviour of one kind of accounts, beyond the fields that all accounts have.
@EventLoop
public protocol AccountKind: AnyObject {
  nonisolated var kind: Account.Kind { get }
  /// True if accounts that are not active yet are shown, so that their owner can continue them; default:
  /// false.
  nonisolated var showsUnfinished: Bool { get }
  func describe(_ account: AccountRecord) throws -> AccountDetails
  /// Returns the lock that prevents even the local use of an account, such as passcodes and renaming.
  ///
  /// Nil means that there is no such lock. Default: nil, since for most kinds only the server enforces locks.
  func closure(of account: AccountRecord) throws -> AccountLock?
  /// Sends a new nickname to the server. The caller stores it only after the server has accepted it.
  func rename(_ account: AccountRecord, to nickname: String) async throws
  /// Removes an account at the server. Succeeds if the server does not have the account any more.
  func remove(_ account: AccountRecord) async throws
}

extension AccountKind {
  public nonisolated var showsUnfinished: Bool { false }

  public func closure(of account: AccountRecord) throws -> AccountLock? { nil }
}

/// The details of an account that only some kinds have.
public struct AccountDetails: Sendable {
  let geography: Geography?
  let environment: String?
  let user: User?
  let authenticators: [PairedAuthenticator]
  let hasWeakSecret: Bool

  public init(
    geography: Geography? = nil,
    environment: String? = nil,
    user: User? = nil,
    authenticators: [PairedAuthenticator],
    hasWeakSecret: Bool = false
  ) {
    (self.geography, self.environment, self.user) = (geography, environment, user)
    (self.authenticators, self.hasWeakSecret) = (authenticators, hasWeakSecret)
  }
}

extension RPCError {
  /// Returns the error for an operation that the server allows only after a sign-on.
  ///
  /// `command` is the command that signs on and performs the operation; the message contains it.
  public static func signOnNeeded(_ command: String) -> RPCError {
    .policyRefuses.with(["policy": "sign-on-needed"])
      .withMessage("the server requires a sign-on for this: \"\(command)\"")
  }
}
