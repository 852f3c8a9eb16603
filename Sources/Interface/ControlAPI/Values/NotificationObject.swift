package import Time

/// A push, as the platform sent it and as it was decided.
package struct NotificationObject: ControlObject {
  package enum Kind: String, ControlChoice {
    case authentication
    case done
    case cancelled = "authCanceled"
    case test
  }

  /// Where a push stands; only the first two can change.
  package enum State: String, ControlChoice {
    case pending, sending, approved, denied, expired, cancelled
  }

  /// What its owner decided.
  package struct Answer: ControlObject {
    package let decision: String
    package let authenticationMethod: String?
    package let reason: String?
    package let at: Timestamp

    package init(decision: String, authenticationMethod: String?, reason: String?, at: Timestamp) {
      (self.decision, self.authenticationMethod) = (decision, authenticationMethod)
      (self.reason, self.at) = (reason, at)
    }

    package static let shape = Shape(
      Answer.init(decision:authenticationMethod:reason:at:),
      .required("decision", \.decision, as: .choice(["approve", "deny"]), "what was decided"),
      .optional(
        "authenticationMethod",
        \.authenticationMethod,
        as: .text(maximum: 64),
        "how the owner was recognized, RFC 8176"
      ),
      .optional("reason", \.reason, as: .text(maximum: 64), "why it was denied"),
      .required("at", \.at, "when it was decided")
    )
  }

  package let id: String
  package let account: String
  package let kind: Open<Kind>
  package let state: Open<State>
  package let content: Content
  package let timeoutDuration: Int
  package let receivedAt: Timestamp
  package let expiresAt: Timestamp
  package let answer: Answer?

  package init(
    id: String,
    account: String,
    kind: Open<Kind>,
    state: Open<State>,
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

  package static let shape = Shape(
    "NotificationObject",
    NotificationObject.init,
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("account", \.account, as: .identifier, "the account that it is for"),
    .required("type", \.kind, "what the platform sent it for"),
    .required("state", \.state, "where it stands; sending: decided here, on its way"),
    .inline(\.content),
    .required("timeoutDuration", \.timeoutDuration, "the seconds in which it can be decided"),
    .required("receivedAt", \.receivedAt, "when it came"),
    .required("expiresAt", \.expiresAt, "when it can no longer be decided"),
    .optional("answer", \.answer, "what was decided")
  )
}
