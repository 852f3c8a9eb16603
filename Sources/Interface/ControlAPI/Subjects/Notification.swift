public import JSON
public import Time

/// A push with its content and its decision.
public struct NotificationObject: ControlObject {
  public enum Kind: String, ControlChoice {
    case authentication
    case done
    case cancelled = "authCanceled"
    case test
  }

  /// The state of a push; only `pending` and `sending` can change.
  public enum State: String, ControlChoice {
    case pending, sending, approved, denied, expired, cancelled
  }

  /// The owner's decision.
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
      .required("decision", \.decision, as: .choice(["approve", "deny"]), "the decision"),
      .optional(
        "authenticationMethod",
        \.authenticationMethod,
        as: .text(maximum: 64),
        "the owner's authentication method, RFC 8176"
      ),
      .optional("reason", \.reason, as: .text(maximum: 64), "the reason of a denial"),
      .required("at", \.at, "the time of the decision")
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
    .required("id", \.id, as: .identifier, "the push's id"),
    .required("account", \.account, as: .identifier, "the account of the push"),
    .required("type", \.kind, "the type of the push"),
    .required("state", \.state, "the state; sending: the decision is being sent"),
    .inline(\.content),
    .required("timeoutDuration", \.timeoutDuration, "the time to decide, in seconds"),
    .required("receivedAt", \.receivedAt, "the time of receipt"),
    .required("expiresAt", \.expiresAt, "the end of the time to decide"),
    .optional("answer", \.answer, "the decision")
  )
}

extension NotificationObject {
  /// The texts and the number matching of a push.
  public struct Content: ControlObject {
    public var title: String?
    public var body: String?
    public var clientContext: JSON?
    public var applicationContext: JSON?
    public var category: String?
    /// The type of number matching, such as `SELECT_NUMBER`; `nil` if no number is required.
    public var numberMatching: String?
    /// The numbers to choose from.
    public var numberOptions: [Int]?

    public init() {}

    public static let shape = Shape(
      Content.init(_:_:_:_:_:_:),
      .optional("title", \.title, "the title"),
      .optional("body", \.body, as: .text(maximum: 1600), "the question"),
      .optional("clientContext", \.clientContext, "the relying party's context"),
      .optional("applicationContext", \.applicationContext, "the application's context"),
      .optional("category", \.category, "the category, which selects the buttons"),
      .optional("numberMatching", \.wireNumberMatching, "the matching of the number that the sign-on shows")
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
        "SELECT_NUMBER: one of options; ENTER_MANUALLY: typed"
      ),
      .optional("options", \.options, as: .array(.integer(MatchedNumber.range)), "the numbers to choose from")
    )
  }
}

/// An action that a notification offers as a button, without an open application.
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

/// A category of pushes, with its buttons.
public struct NotificationCategory: ControlObject {
  public struct Button: ControlObject {
    public let id: Open<NotificationAction>
    public let title: String
    public let requiresAuthentication: Bool

    public static let shape = Shape(
      Button.init(id:title:requiresAuthentication:),
      .required("id", \.id, "the action of notification.act"),
      .required("title", \.title, as: .text(maximum: 64), "the label"),
      .required("requiresAuthentication", \.requiresAuthentication, "true if the screen must be unlocked")
    )
  }

  public let id: String
  public let actions: [Button]

  /// Every category, once under PingOne's name and once under the native SDK's name.
  ///
  /// A push may use either name.
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
    .required("id", \.id, as: .identifier, "name of the category in a push"),
    .required("actions", \.actions, "its buttons, in their order")
  )
}

extension NotificationCategory {
  private init(_ id: String, _ actions: [NotificationAction]) {
    self.init(
      id: id,
      actions: actions.map {
        // Denying and opening never require an unlocked screen.
        Button(id: .known($0), title: $0.title, requiresAuthentication: $0 == .approve)
      }
    )
  }
}

/// The number that the sign-on page shows.
public enum MatchedNumber {
  /// The valid numbers: up to nine digits.
  public static let range = 0...999_999_999
}
