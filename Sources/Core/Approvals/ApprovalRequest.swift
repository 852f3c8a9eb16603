public import ControlAPI
public import Glibc
public import JSON
public import Time
public import Vault

/// Something that waits for its owner's word, or did: a row of `approval`, opened.
public struct ApprovalRequest: Sendable {
  /// What asks: the interface shows pushes and codes in lists of their own.
  public enum Kind: String, Sendable {
    case authentication, silent, test, code
  }

  /// Where it stands; only the first two can change.
  public typealias State = NotificationObject.State

  /// What a person reads or types to decide.
  public struct Content: Sendable {
    /// What the interface shows of a push.
    public var shown = NotificationObject.Content()
    /// Who can authenticate, where that is to be chosen.
    public var users: [User] = []
    /// REQUIRED or NOT_REQUIRED, as the relying party of a code asked.
    public var userApproval: String?
    /// What the approver alone reads of it: kept sealed with the rest, and never shown.
    public var approverDetails: JSON?

    public init() {}
  }

  public let sequence: Int
  public let id: String
  public let owner: uid_t
  /// Which approver takes the decision.
  public let approver: String
  /// What of the approver's it came to.
  public let source: String
  /// What the other side knows it by.
  public let foreignID: String
  public let account: String?
  public let kind: Kind
  public let state: State
  public let content: Content
  /// The seconds in which it can be decided on, from its receipt.
  public let timeout: Int
  public let receivedAt: Timestamp
  public let expiresAt: Timestamp
  public let decision: Decision?

  /// A request that has just come and was not stored yet.
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

/// How an owner decided.
public struct Decision: Sendable, Equatable {
  public let isApproval: Bool
  /// How the owner was recognized, RFC 8176; an approval's.
  public var method: String?
  /// The number that was shown where the owner signs on.
  public var number: Int?
  /// Why it was denied.
  public var reason: String?
  /// Which of several users it is for.
  public var user: String?
  /// Whether what the request says was withheld, since its owner was locked; whoever unlocks later did not see it then.
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

  /// The name of the decision at the other side and in the audit.
  public var name: String { isApproval ? "approve" : "deny" }

  /// Whether another decision says the same, whenever it was made.
  func agrees(with other: Decision) -> Bool {
    isApproval == other.isApproval && number == other.number && user == other.user
  }
}

extension Approvals {
  /// A push as the interface shows it.
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
