package import ControlAPI
package import Glibc
package import JSON
package import Time
package import Vault

/// Something that waits for its owner's word, or did: a row of `approval`, opened.
package struct ApprovalRequest: Sendable {
  /// What asks: the interface shows pushes and codes in lists of their own.
  package enum Kind: String, Sendable {
    case authentication, silent, test, code
  }

  /// Where it stands; only the first two can change.
  package typealias State = NotificationObject.State

  /// What a person reads or types to decide.
  package struct Content: Sendable {
    /// What the interface shows of a push.
    package var shown = NotificationObject.Content()
    /// Who can authenticate, where that is to be chosen.
    package var users: [User] = []
    /// REQUIRED or NOT_REQUIRED, as the relying party of a code asked.
    package var userApproval: String?
    /// What the approver alone reads of it: kept sealed with the rest, and never shown.
    package var approverDetails: JSON?

    package init() {}
  }

  package let sequence: Int
  package let id: String
  package let owner: uid_t
  /// Which approver takes the decision.
  package let approver: String
  /// What of the approver's it came to.
  package let source: String
  /// What the other side knows it by.
  package let foreignID: String
  package let account: String?
  package let kind: Kind
  package let state: State
  package let content: Content
  /// The seconds in which it can be decided on, from its receipt.
  package let timeout: Int
  package let receivedAt: Timestamp
  package let expiresAt: Timestamp
  package let decision: Decision?

  /// A request that has just come and was not stored yet.
  package init(
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

  package var ownedKey: OwnedKey { OwnedKey(id, of: owner) }
}
