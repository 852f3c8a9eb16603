package import JSON
package import JSONRPC

package struct NotificationList: ControlMethod {
  package static let name = "notification.list"
  package static let access = AccessClass.read
  package static let summary = "lists pushes, the newest first"
  package static let errors: [RPCError] = [.notFound, .keyUnavailable]
  package static let parameters = Shape(
    NotificationList.init(state:page:),
    .optional("state", \.state, "only pushes in this state"),
    .inline(\.page)
  )
  package static let envelope: Shape<[NotificationObject]>? = .member(
    "notifications",
    "the pushes, the newest first"
  )
  package static var example: Example<Self> {
    Example(NotificationList(state: .pending), [Samples.notification])
  }

  package let state: NotificationObject.State?
  package let page: Page

  package init(state: NotificationObject.State? = nil, page: Page = Page()) {
    (self.state, self.page) = (state, page)
  }
}

package struct NotificationGet: ControlMethod {
  package static let name = "notification.get"
  package static let access = AccessClass.read
  package static let summary = "shows one push"
  package static let errors: [RPCError] = [.notFound, .keyUnavailable]
  package static let parameters = Shape(
    NotificationGet.init(notification:),
    .required("notification", \.notification, as: .identifier, "the push")
  )
  package static var example: Example<Self> {
    Example(
      NotificationGet(notification: "n1"),
      NotificationResult(Samples.notification)
    )
  }

  package typealias Result = NotificationResult

  package let notification: String

  package init(notification: String) { self.notification = notification }
}

package struct NotificationProcess: ControlMethod {
  package static let name = "notification.process"
  package static let access = AccessClass.answer
  package static let summary = "takes a push as a transport delivered it"
  package static let errors: [RPCError] = [
    .notConfigured, .keyUnavailable, .unrecognizedNotification, .tokenRejected,
  ]
  package static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  package static let parameters = Shape(
    NotificationProcess.init(payload:),
    .required("payload", \.payload, as: payload, "the transport's message as it came, object or text")
  )
  package static let envelope: Shape<NotificationObject?>? = .member(
    "notification",
    "the push; null: there is nothing to show"
  )
  package static var example: Example<Self> {
    Example(NotificationProcess(payload: Samples.payload), Samples.notification)
  }

  /// An object, or the text that it stands in.
  static let payload = Schema.either(.text(maximum: 65_536), .map(.anything))

  package let payload: JSON

  package init(payload: JSON) { self.payload = payload }
}

package struct NotificationAct: ControlMethod {
  package static let name = "notification.act"
  package static let access = AccessClass.answer
  package static let summary = "takes a push as a transport delivered it and decides it"
  package static let errors: [RPCError] =
    .decision + .presence + [.unrecognizedNotification, .tokenRejected, .numberRequired, .quota]
  package static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  package static let parameters = Shape(
    NotificationAct.init(action:payload:authenticationMethod:presence:),
    .required("action", \.action, "what was chosen; open only takes the push"),
    .required(
      "payload",
      \.payload,
      as: NotificationProcess.payload,
      "the transport's message as it came, object or text"
    ),
    AuthenticationMethod.parameter(\.authenticationMethod),
    PresenceClaim.parameter(\.presence)
  )
  package static let envelope = NotificationProcess.envelope
  package static var example: Example<Self> {
    Example(
      NotificationAct(action: .approve, payload: Samples.payload),
      Samples.notification(.approved, Samples.approval)
    )
  }

  package let action: NotificationAction
  package let payload: JSON
  package let authenticationMethod: String
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { action == .deny || presence != nil }

  package init(
    action: NotificationAction,
    payload: JSON,
    authenticationMethod: String = AuthenticationMethod.standard,
    presence: PresenceClaim? = nil
  ) {
    (self.action, self.payload) = (action, payload)
    (self.authenticationMethod, self.presence) = (authenticationMethod, presence)
  }
}

package struct NotificationApprove: ControlMethod {
  package static let name = "notification.approve"
  package static let access = AccessClass.answer
  package static let summary = "approves what a push asks"
  package static let errors: [RPCError] = .decision + [.numberRequired, .numberMismatch] + .presence
  package static let audit: AuditRule<Self>? = AuditRule(target: \.notification)
  package static let parameters = Shape(
    NotificationApprove.init(notification:authenticationMethod:number:presence:),
    .required("notification", \.notification, as: .identifier, "the push"),
    AuthenticationMethod.parameter(\.authenticationMethod),
    .optional(
      "number",
      \.number,
      as: .integer(MatchedNumber.range),
      "the number that the sign-on shows; refused for a push that wants none"
    ),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> {
    Example(
      NotificationApprove(notification: "n1"),
      NotificationResult(Samples.notification(.approved, Samples.approval))
    )
  }

  package typealias Result = NotificationResult

  package let notification: String
  package let authenticationMethod: String
  package let number: Int?
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(
    notification: String,
    authenticationMethod: String = AuthenticationMethod.standard,
    number: Int? = nil,
    presence: PresenceClaim? = nil
  ) {
    (self.notification, self.authenticationMethod) = (notification, authenticationMethod)
    (self.number, self.presence) = (number, presence)
  }
}

package struct NotificationDeny: ControlMethod {
  package static let name = "notification.deny"
  package static let access = AccessClass.answer
  package static let summary = "denies what a push asks"
  package static let errors: [RPCError] = .decision
  package static let audit: AuditRule<Self>? = AuditRule(
    target: \.notification,
    outcome: { deny, _ in deny.reason == "NONE" ? nil : "DENIED_\(deny.reason)" }
  )
  package static let parameters = Shape(
    NotificationDeny.init(notification:reason:),
    .required("notification", \.notification, as: .identifier, "the push"),
    .optional(
      "reason",
      \.reason,
      as: .choice(["NONE", "REPORT_FRAUD", "BIOMETRICS_REJECTED"]),
      default: "NONE",
      "why"
    )
  )
  package static var example: Example<Self> {
    Example(
      NotificationDeny(notification: "n1", reason: "REPORT_FRAUD"),
      NotificationResult(Samples.notification(.denied, Samples.denial))
    )
  }

  package typealias Result = NotificationResult

  package let notification: String
  package let reason: String

  package var worksWhileLocked: Bool { true }

  package init(notification: String, reason: String = "NONE") {
    (self.notification, self.reason) = (notification, reason)
  }
}

package struct NotificationCategories: ControlMethod {
  package static let name = "notification.categories"
  package static let access = AccessClass.read
  package static let summary = "lists the categories of pushes and their buttons"
  package static let errors: [RPCError] = []
  package static let parameters = Shape(NotificationCategories.init)
  package static let envelope: Shape<[NotificationCategory]>? = .member(
    "categories",
    "the categories that a push may name"
  )
  package static var example: Example<Self> { Example(NotificationCategories(), NotificationCategory.all) }

  package init() {}
}

/// A push after it was looked at or decided.
package struct NotificationResult: ControlObject {
  package let notification: NotificationObject
  package let confirmationInfo: JSON?
  package let lock: AccountLock?

  /// A push, with what the platform said to the decision.
  package init(_ notification: NotificationObject, confirmationInfo: JSON? = nil, lock: AccountLock? = nil) {
    (self.notification, self.confirmationInfo, self.lock) = (notification, confirmationInfo, lock)
  }

  package static let shape = Shape(
    "NotificationResult",
    NotificationResult.init(_:confirmationInfo:lock:),
    .required("notification", \.notification, "the push"),
    .optional("confirmationInfo", \.confirmationInfo, "what the platform said to an approval"),
    .optional("lock", \.lock, "what locked the account with this very decision")
  )
}
