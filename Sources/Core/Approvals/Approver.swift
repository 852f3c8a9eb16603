public import ControlAPI
public import EventLoop
public import JSON
public import JSONRPC

/// Submits the decisions on one kind of requests to their server, and queries the state of requests there.
@EventLoop
public protocol Approver: AnyObject {
  /// The name under which its requests are stored.
  nonisolated var name: String { get }
  /// Called before a decision is stored; throws if the decision cannot be submitted.
  func admit(_ request: ApprovalRequest, _ decision: Decision) throws
  /// Called before the daemon delivers a decision that a previous run may already have submitted.
  func recall(_ request: ApprovalRequest)
  /// Submits a decision.
  ///
  /// Throws: ``Refusal`` if the server understood the decision and did not accept it, so that the request
  /// stays undecided. After any other error the outcome is unknown, and the same decision is submitted again.
  func submit(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome
  /// True if the server cancelled a request while a decision on it was in flight.
  func wasTakenBack(_ request: ApprovalRequest) throws -> Bool
  /// Returns the state of a request at the server; nil if the server cannot be queried.
  func status(of request: ApprovalRequest) async throws -> RemoteStatus?
}

extension Approver {
  public func admit(_ request: ApprovalRequest, _ decision: Decision) throws {}
  public func recall(_ request: ApprovalRequest) {}
  public func wasTakenBack(_ request: ApprovalRequest) throws -> Bool { false }
}

/// The error for a decision that the server did not accept.
public struct Refusal: NamedError {
  public let rpcError: RPCError

  public init(_ rpcError: RPCError) { self.rpcError = rpcError }
}

/// The state of a request at the server.
public enum RemoteStatus: String, Sendable {
  case pending, approved, denied, expired, cancelled

  /// The corresponding local state.
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

/// The outcome of a decision.
public enum Outcome: Sendable {
  /// The server accepted the decision. It may have sent confirmation information, and a lock if the decision
  /// locked the account.
  case accepted(confirmationInfo: JSON? = nil, lock: AccountLock? = nil)
  /// The decision was not accepted, because the account is locked.
  case locked(AccountLock)
  /// The server did not use the decision; the request has this state there.
  case settled(RemoteStatus)
  /// The number was wrong. With 0 tries left, the request is denied.
  case wrongNumber(triesLeft: Int, lock: AccountLock? = nil)
}
