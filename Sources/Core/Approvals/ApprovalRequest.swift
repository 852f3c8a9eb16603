public import ControlAPI
public import Glibc
public import JSON
public import Time
public import Vault

/// A request for its owner's decision, open or completed: a row of `approval` with its values decrypted.
public struct ApprovalRequest: Sendable {
  /// The kind of a request: a push or a code, which the control API lists separately.
  public enum Kind: String, Sendable {
    case authentication, silent, test, code
  }

  /// The state of a request; only the states `pending` and `sending` can still change.
  public typealias State = NotificationObject.State

  /// The content that a user reads to decide.
  public struct Content: Sendable {
    /// The part of a push that clients of the control API receive.
    public var shown = NotificationObject.Content()
    /// The users that can authenticate, if the owner must choose one.
    public var users: [User] = []
    /// REQUIRED or NOT_REQUIRED, from the relying party of a code.
    public var userApproval: String?
    /// Data that only the approver reads; it is sealed with the other content and never shown.
    public var approverDetails: JSON?

    public init() {}
  }

  public let sequence: Int
  public let id: String
  public let owner: uid_t
  /// Name of the approver that receives the decision.
  public let approver: String
  /// The recipient of the request: the id of a PingOne identity, or an owner with a PingAM mechanism id.
  public let source: String
  /// The id of the request at the server.
  public let foreignID: String
  public let account: String?
  public let kind: Kind
  public let state: State
  public internal(set) var content: Content
  /// Number of seconds during which the request can be decided, beginning with its receipt.
  public let timeout: Int
  public let receivedAt: Timestamp
  public let expiresAt: Timestamp
  public internal(set) var decision: Decision?

  /// Creates a new request that is not stored yet.
  public init(
    owner: uid_t,
    approver: String,
    source: String,
    foreignID: String,
    account: String?,
    kind: Kind,
    state: State,
    content: Content,
    timeout: Int,
    receivedAt: Timestamp
  ) throws {
    (sequence, id, decision) = (0, try OpaqueID.make(), nil)
    (self.owner, self.approver, self.source) = (owner, approver, source)
    (self.foreignID, self.account, self.kind) = (foreignID, account, kind)
    (self.state, self.content, self.timeout) = (state, content, timeout)
    (self.receivedAt, expiresAt) = (receivedAt, receivedAt.adding(seconds: timeout))
  }

  init(
    sequence: Int,
    id: String,
    owner: uid_t,
    approver: String,
    source: String,
    foreignID: String,
    account: String?,
    kind: Kind,
    state: State,
    content: Content,
    timeout: Int,
    receivedAt: Timestamp,
    expiresAt: Timestamp,
    decision: Decision?
  ) {
    (self.sequence, self.id, self.owner, self.approver) = (sequence, id, owner, approver)
    (self.source, self.foreignID, self.account, self.kind) = (source, foreignID, account, kind)
    (self.state, self.content, self.timeout) = (state, content, timeout)
    (self.receivedAt, self.expiresAt, self.decision) = (receivedAt, expiresAt, decision)
  }

  var isOpen: Bool { state == .pending || state == .sending }

  public var ownedKey: OwnedKey { OwnedKey(id, of: owner) }
}

/// The decision of an owner.
public struct Decision: Sendable, Equatable {
  public let isApproval: Bool
  /// The authentication method of an approval, RFC 8176.
  public var method: String?
  /// The number that the sign-on page showed.
  public var number: Int?
  /// The reason of a denial.
  public var reason: String?
  /// The chosen user, if there were several.
  public var user: String?
  /// True if the content was withheld because the owner was locked; a later unlock does not change this.
  public var isBlind = false
  public let at: Timestamp

  public init(
    isApproval: Bool,
    method: String? = nil,
    number: Int? = nil,
    reason: String? = nil,
    user: String? = nil,
    at: Timestamp
  ) {
    (self.isApproval, self.method, self.number) = (isApproval, method, number)
    (self.reason, self.user, self.at) = (reason, user, at)
  }

  /// The name of the decision for the server and the audit.
  public var name: String { isApproval ? "approve" : "deny" }

  /// True if another decision has the same answer, number and user.
  func agrees(with other: Decision) -> Bool {
    isApproval == other.isApproval && number == other.number && user == other.user
  }
}

extension Approvals {
  /// Returns a push in the form of the control API.
  func notification(_ request: ApprovalRequest) throws -> NotificationObject {
    let answer = request.decision.map {
      NotificationObject.Answer(
        decision: $0.name,
        authenticationMethod: $0.isApproval ? $0.method : nil,
        reason: $0.isApproval ? nil : $0.reason,
        at: $0.at
      )
    }
    return try NotificationObject(
      id: request.id,
      account: request.account ?? "",
      kind: .known(request.state == .cancelled ? .cancelled : request.kind.shown),
      state: .known(request.isOpen && isOver(request) ? .expired : request.state),
      content: core.vault.isLocked(request.owner) ? NotificationObject.Content() : request.content.shown,
      timeoutDuration: request.timeout,
      receivedAt: request.receivedAt,
      expiresAt: request.expiresAt,
      answer: answer
    )
  }
}

extension ApprovalRequest.Kind {
  fileprivate var shown: NotificationObject.Kind {
    switch self {
    case .authentication, .code: .authentication
    case .silent: .done
    case .test: .test
    }
  }
}
