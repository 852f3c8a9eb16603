public import JSON
public import JSONRPC

public struct NotificationList: ControlMethod {
  public static let name = "notification.list"
  public static let access = AccessClass.read
  public static let summary = "lists pushes, newest first"
  public static let errors: [RPCError] = [.notFound, .keyUnavailable]
  public static let parameters = Shape(
    NotificationList.init(state:page:),
    .optional("state", \.state, "only pushes in this state"),
    .inline(\.page)
  )
  public static let envelope: Shape<[NotificationObject]>? = .member(
    "notifications",
    "the pushes, newest first"
  )
  public static var example: Example<Self> {
    Example(NotificationList(state: .pending), [Samples.notification])
  }

  public let state: NotificationObject.State?
  public let page: Page

  public init(state: NotificationObject.State? = nil, page: Page = Page()) {
    (self.state, self.page) = (state, page)
  }
}

public struct NotificationGet: ControlMethod {
  public static let name = "notification.get"
  public static let access = AccessClass.read
  public static let summary = "returns one push"
  public static let errors: [RPCError] = [.notFound, .keyUnavailable]
  public static let parameters = Shape(
    NotificationGet.init(notification:),
    .required("notification", \.notification, as: .identifier, "the push")
  )
  public static var example: Example<Self> {
    Example(
      NotificationGet(notification: "n1"),
      NotificationResult(Samples.notification)
    )
  }

  public typealias Result = NotificationResult

  public let notification: String

  public init(notification: String) { self.notification = notification }
}

public struct NotificationProcess: ControlMethod {
  public static let name = "notification.process"
  public static let access = AccessClass.answer
  public static let summary = "processes a push that a transport delivered"
  public static let errors: [RPCError] = [
    .notConfigured, .keyUnavailable, .unrecognizedNotification, .tokenRejected,
  ]
  public static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  public static let parameters = Shape(
    NotificationProcess.init(payload:),
    .required("payload", \.payload, as: payload, "the transport's message unchanged, object or text")
  )
  public static let envelope: Shape<NotificationObject?>? = .member(
    "notification",
    "the push; null: nothing to show"
  )
  public static var example: Example<Self> {
    Example(NotificationProcess(payload: Samples.payload), Samples.notification)
  }

  /// The schema of a push message: a JSON object, or a text.
  static let payload = Schema.either(.text(maximum: 65_536), .map(.anything))

  public let payload: JSON

  public init(payload: JSON) { self.payload = payload }
}

public struct NotificationAct: ControlMethod {
  public static let name = "notification.act"
  public static let access = AccessClass.answer
  public static let summary = "processes a push that a transport delivered, and decides it"
  public static let errors: [RPCError] =
    .decision + .presence + [.unrecognizedNotification, .tokenRejected, .numberRequired, .quota]
  public static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  public static let parameters = Shape(
    NotificationAct.init(action:payload:authenticationMethod:presence:),
    .required("action", \.action, "the chosen action; open only processes the push"),
    .required(
      "payload",
      \.payload,
      as: NotificationProcess.payload,
      "the transport's message unchanged, object or text"
    ),
    AuthenticationMethod.parameter(\.authenticationMethod),
    PresenceClaim.parameter(\.presence)
  )
  public static let envelope = NotificationProcess.envelope
  public static var example: Example<Self> {
    Example(
      NotificationAct(action: .approve, payload: Samples.payload),
      Samples.notification(.approved, Samples.approval)
    )
  }

  public let action: NotificationAction
  public let payload: JSON
  public let authenticationMethod: String
  public let presence: PresenceClaim?

  public var worksWhileLocked: Bool { action == .deny || presence != nil }

  public init(
    action: NotificationAction,
    payload: JSON,
    authenticationMethod: String = AuthenticationMethod.standard,
    presence: PresenceClaim? = nil
  ) {
    (self.action, self.payload) = (action, payload)
    (self.authenticationMethod, self.presence) = (authenticationMethod, presence)
  }
}

public struct NotificationApprove: ControlMethod {
  public static let name = "notification.approve"
  public static let access = AccessClass.answer
  public static let summary = "approves a push"
  public static let errors: [RPCError] = .decision + [.numberRequired, .numberMismatch] + .presence
  public static let audit: AuditRule<Self>? = AuditRule(target: \.notification)
  public static let parameters = Shape(
    NotificationApprove.init(notification:authenticationMethod:number:presence:),
    .required("notification", \.notification, as: .identifier, "the push"),
    AuthenticationMethod.parameter(\.authenticationMethod),
    .optional(
      "number",
      \.number,
      as: .integer(MatchedNumber.range),
      "the number that the sign-on shows; rejected if none is required"
    ),
    PresenceClaim.parameter(\.presence)
  )
  public static var example: Example<Self> {
    Example(
      NotificationApprove(notification: "n1"),
      NotificationResult(Samples.notification(.approved, Samples.approval))
    )
  }

  public typealias Result = NotificationResult

  public let notification: String
  public let authenticationMethod: String
  public let number: Int?
  public let presence: PresenceClaim?

  public var worksWhileLocked: Bool { presence != nil }

  public init(
    notification: String,
    authenticationMethod: String = AuthenticationMethod.standard,
    number: Int? = nil,
    presence: PresenceClaim? = nil
  ) {
    (self.notification, self.authenticationMethod) = (notification, authenticationMethod)
    (self.number, self.presence) = (number, presence)
  }
}

public struct NotificationDeny: ControlMethod {
  public static let name = "notification.deny"
  public static let access = AccessClass.answer
  public static let summary = "denies a push"
  public static let errors: [RPCError] = .decision
  public static let audit: AuditRule<Self>? = AuditRule(
    target: \.notification,
    outcome: { deny, _ in deny.reason == "NONE" ? nil : "DENIED_\(deny.reason)" }
  )
  public static let parameters = Shape(
    NotificationDeny.init(notification:reason:),
    .required("notification", \.notification, as: .identifier, "the push"),
    .optional(
      "reason",
      \.reason,
      as: .choice(["NONE", "REPORT_FRAUD", "BIOMETRICS_REJECTED"]),
      default: "NONE",
      "the reason"
    )
  )
  public static var example: Example<Self> {
    Example(
      NotificationDeny(notification: "n1", reason: "REPORT_FRAUD"),
      NotificationResult(Samples.notification(.denied, Samples.denial))
    )
  }

  public typealias Result = NotificationResult

  public let notification: String
  public let reason: String

  public var worksWhileLocked: Bool { true }

  public init(notification: String, reason: String = "NONE") {
    (self.notification, self.reason) = (notification, reason)
  }
}

public struct NotificationCategories: ControlMethod {
  public static let name = "notification.categories"
  public static let access = AccessClass.read
  public static let summary = "lists the categories of pushes and their buttons"
  public static let errors: [RPCError] = []
  public static let parameters = Shape(NotificationCategories.init)
  public static let envelope: Shape<[NotificationCategory]>? = .member(
    "categories",
    "the categories that a push may name"
  )
  public static var example: Example<Self> { Example(NotificationCategories(), NotificationCategory.all) }

  public init() {}
}

/// A push after it was read or decided.
public struct NotificationResult: ControlObject {
  public let notification: NotificationObject
  public let confirmationInfo: JSON?
  public let lock: AccountLock?

  /// A push, with the platform's response to the decision.
  public init(_ notification: NotificationObject, confirmationInfo: JSON? = nil, lock: AccountLock? = nil) {
    (self.notification, self.confirmationInfo, self.lock) = (notification, confirmationInfo, lock)
  }

  public static let shape = Shape(
    "NotificationResult",
    NotificationResult.init(_:confirmationInfo:lock:),
    .required("notification", \.notification, "the push"),
    .optional("confirmationInfo", \.confirmationInfo, "the platform's response to an approval"),
    .optional("lock", \.lock, "the lock that this decision caused")
  )
}
