public import Configuration
public import ControlAPI
public import EventLoop
internal import JSON
public import JSONRPC

/// What a provider of accounts knows of its own, beyond what all accounts have.
@EventLoop
public protocol AccountKind: AnyObject {
  nonisolated var kind: Account.Kind { get }
  /// Whether accounts are shown that have not come into force, since only their owner can go on with them.
  nonisolated var showsUnfinished: Bool { get }
  /// What the interface tells of an account besides what all have.
  func describe(_ account: AccountRecord) throws -> AccountDetails
  /// What closes an account to its own owner, passcodes and name too; of most kinds only the other side closes any.
  func closure(of account: AccountRecord) throws -> AccountLock?
  /// Tells the other side what its owner calls an account, before it is stored here: both know it or neither does.
  func rename(_ account: AccountRecord, to nickname: String) async throws
  /// Ends an account at the other side; one that is not there any more is as good.
  func remove(_ account: AccountRecord) async throws
}

extension AccountKind {
  public nonisolated var showsUnfinished: Bool { false }

  public func closure(of account: AccountRecord) throws -> AccountLock? { nil }
}

/// What the interface tells of an account besides what all have.
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
  /// What the other side has only somebody do who signs on there, with the command that does it.
  public static func signOnNeeded(_ command: String) -> RPCError {
    .policyRefuses.with(["policy": "sign-on-needed"])
      .saying("the other side wants you to sign on for that: \"\(command)\"")
  }
}
