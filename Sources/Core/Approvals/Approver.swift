public import ControlAPI
public import EventLoop
public import JSON
public import JSONRPC

/// The other side of a kind of requests: what takes a decision, and knows where a request stands.
@EventLoop
public protocol Approver: AnyObject {
  /// What its requests are stored under.
  nonisolated var name: String { get }
  /// Refuses a decision that could not be handed in, before it is one.
  func admit(_ request: ApprovalRequest, _ decision: Decision) throws
  /// Takes note that an earlier life handed a decision in, of which it is not known whether it was heard.
  func recall(_ request: ApprovalRequest)
  /// Hands a decision in.
  ///
  /// Throws: ``Refusal`` when the other side understood and did not take it, so that nothing is decided. After
  /// anything else it is not known what the other side heard, and the same is handed in again.
  func submit(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome
  /// Whether the other side took a request back while a decision on it was on its way.
  func wasTakenBack(_ request: ApprovalRequest) throws -> Bool
  /// Where a request stands on the other side; `nil` if it has no way to ask.
  func status(of request: ApprovalRequest) async throws -> Standing?
}

extension Approver {
  public func admit(_ request: ApprovalRequest, _ decision: Decision) throws {}
  public func recall(_ request: ApprovalRequest) {}
  public func wasTakenBack(_ request: ApprovalRequest) throws -> Bool { false }
}

/// The other side did not take a decision.
public struct Refusal: NamedError {
  public let rpcError: RPCError

  public init(_ rpcError: RPCError) { self.rpcError = rpcError }
}

/// Where a request stands on the other side.
public enum Standing: String, Sendable {
  case pending, approved, denied, expired, cancelled

  /// The state that a request has here once that is heard.
  var state: ApprovalRequest.State {
    switch self {
    case .pending: .pending
    case .approved: .approved
    case .denied: .denied
    case .expired: .expired
    case .cancelled: .cancelled
    }
  }
}

/// What became of a decision.
public enum Outcome: Sendable {
  /// It counts, with what the other side wants confirmed, and with the lock if this decision closed the account.
  case accepted(confirmationInfo: JSON? = nil, lock: AccountLock? = nil)
  /// It does not count, because the account is closed.
  case locked(AccountLock)
  /// The request was settled otherwise before.
  case settled(Standing)
  /// The number was wrong; 0 tries left means that the request is denied.
  case wrongNumber(triesLeft: Int, lock: AccountLock? = nil)
}
