package import JSON
package import Time

/// A push, as the platform sent it and as it was answered.
package struct NotificationObject: ControlValue {
  /// What a push is about.
  package enum Kind: String, CaseIterable, Sendable {
    case authentication
    case done
    case cancelled = "authCanceled"
    case test
  }

  /// Where a push stands; only the first two can change.
  package enum State: String, CaseIterable, Sendable {
    case pending, sending, approved, denied, expired, cancelled
  }

  /// How its owner answered.
  package struct Answer: Sendable {
    package let decision: String
    /// How the owner was recognized, RFC 8176.
    package let authenticationMethod: String?
    /// Why it was denied.
    package let reason: String?
    /// When it was decided.
    package let at: Timestamp

    package init(decision: String, authenticationMethod: String?, reason: String?, at: Timestamp) {
      (self.decision, self.authenticationMethod, self.reason, self.at) = (
        decision, authenticationMethod, reason, at
      )
    }
  }

  /// What a person reads or types to answer.
  package struct Content: Sendable {
    package var title: String?
    package var body: String?
    /// What the relying party added.
    package var clientContext: JSON?
    /// What the application added.
    package var applicationContext: JSON?
    /// Which buttons belong to it.
    package var category: String?
    package var numberMatching: String?
    /// The numbers to choose from.
    package var numberOptions: [Int]?

    package init() {}
  }

  package let id: String
  /// The account that it is for.
  package let account: String
  /// What it is about.
  package let kind: Kind
  package let state: State
  /// What a person reads.
  package let content: Content
  /// The seconds in which it can be answered, from its receipt.
  package let timeoutDuration: Int
  package let receivedAt: Timestamp
  /// When it can no longer be answered.
  package let expiresAt: Timestamp
  /// How it was answered.
  package let answer: Answer?

  package init(
    id: String,
    account: String,
    kind: Kind,
    state: State,
    content: Content,
    timeoutDuration: Int,
    receivedAt: Timestamp,
    expiresAt: Timestamp,
    answer: Answer?
  ) {
    (self.id, self.account, self.kind, self.state) = (id, account, kind, state)
    (self.content, self.timeoutDuration, self.answer) = (content, timeoutDuration, answer)
    (self.receivedAt, self.expiresAt) = (receivedAt, expiresAt)
  }
}
