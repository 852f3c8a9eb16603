public import JSON
public import Time

/// A push, as the platform sent it and as it was decided.
public struct NotificationObject: ControlObject {
  public enum Kind: String, ControlChoice {
    case authentication
    case done
    case cancelled = "authCanceled"
    case test
  }

  /// Where a push stands; only the first two can change.
  public enum State: String, ControlChoice {
    case pending, sending, approved, denied, expired, cancelled
  }

  /// What its owner decided.
  public struct Answer: ControlObject {
    public let decision: String
    public let authenticationMethod: String?
    public let reason: String?
    public let at: Timestamp

    public init(decision: String, authenticationMethod: String?, reason: String?, at: Timestamp) {
      (self.decision, self.authenticationMethod) = (decision, authenticationMethod)
      (self.reason, self.at) = (reason, at)
    }

    public static let shape = Shape(
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

  public let id: String
  public let account: String
  public let kind: Open<Kind>
  public let state: Open<State>
  public let content: Content
  public let timeoutDuration: Int
  public let receivedAt: Timestamp
  public let expiresAt: Timestamp
  public let answer: Answer?

  public init(
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

  public static let shape = Shape(
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

extension NotificationObject {
  /// What a person reads or types to decide.
  public struct Content: ControlObject {
    public var title: String?
    public var body: String?
    public var clientContext: JSON?
    public var applicationContext: JSON?
    public var category: String?
    /// How a number is matched, by its name on the wire; `nil`: none is wanted.
    public var numberMatching: String?
    /// The numbers to choose from.
    public var numberOptions: [Int]?

    public init() {}

    public static let shape = Shape(
      Content.init(_:_:_:_:_:_:),
      .optional("title", \.title, "what it is about"),
      .optional("body", \.body, as: .text(maximum: 1600), "the question"),
      .optional("clientContext", \.clientContext, "what the relying party added"),
      .optional("applicationContext", \.applicationContext, "what the application added"),
      .optional("category", \.category, "which buttons belong to it"),
      .optional("numberMatching", \.wireNumberMatching, "how the number is given that the sign-on shows")
    )

    private var wireNumberMatching: NumberMatching? {
      numberMatching.map { NumberMatching(type: $0, options: numberOptions) }
    }

    private init(
      _ title: String?,
      _ body: String?,
      _ clientContext: JSON?,
      _ applicationContext: JSON?,
      _ category: String?,
      _ matching: NumberMatching?
    ) {
      (self.title, self.body, self.category) = (title, body, category)
      (self.clientContext, self.applicationContext) = (clientContext, applicationContext)
      (numberMatching, numberOptions) = (matching?.type, matching?.options)
    }
  }

  fileprivate struct NumberMatching: ControlObject {
    let type: String
    let options: [Int]?

    static let shape = Shape(
      NumberMatching.init(type:options:),
      .required(
        "type",
        \.type,
        as: .choice(["SELECT_NUMBER", "ENTER_MANUALLY"]),
        "whether it is one of the options or typed"
      ),
      .optional("options", \.options, as: .array(.integer(MatchedNumber.range)), "the numbers to choose from")
    )
  }
}

/// What a person can do with a push without opening anything.
public enum NotificationAction: String, ControlChoice {
  case approve, deny, open

  var title: String {
    switch self {
    case .approve: "Approve"
    case .deny: "Deny"
    case .open: "Open"
    }
  }
}

/// The buttons that belong to a push.
public struct NotificationCategory: ControlObject {
  public struct Button: ControlObject {
    public let id: Open<NotificationAction>
    public let title: String
    public let requiresAuthentication: Bool

    public static let shape = Shape(
      Button.init(id:title:requiresAuthentication:),
      .required("id", \.id, "what notification.act takes as action"),
      .required("title", \.title, as: .text(maximum: 64), "what stands on the button"),
      .required("requiresAuthentication", \.requiresAuthentication, "only whoever unlocked the machine may")
    )
  }

  public let id: String
  public let actions: [Button]

  /// Every category, by PingOne's name and by the native SDK's: a push may name it by either.
  public static let all: [NotificationCategory] = [
    NotificationCategory("BANNER_BUTTONS", [.approve, .deny]),
    NotificationCategory("WITHOUT_BANNER_BUTTONS", []),
    NotificationCategory("APPROVE_AND_OPEN_APP", [.approve, .deny, .open]),
    NotificationCategory("auth", [.approve, .deny]),
    NotificationCategory("none", []),
    NotificationCategory("auth_open", [.approve, .deny, .open]),
  ]

  public static let shape = Shape(
    NotificationCategory.init(id:actions:),
    .required("id", \.id, as: .identifier, "what a push names it by"),
    .required("actions", \.actions, "its buttons, in their order")
  )
}

extension NotificationCategory {
  private init(_ id: String, _ actions: [NotificationAction]) {
    self.init(
      id: id,
      actions: actions.map {
        // Denying and looking are never kept from anybody who is there.
        Button(id: .known($0), title: $0.title, requiresAuthentication: $0 == .approve)
      }
    )
  }
}

/// The number that is shown where a person signs on.
public enum MatchedNumber {
  /// The numbers that can be given: up to nine digits.
  public static let range = 0...999_999_999
}
