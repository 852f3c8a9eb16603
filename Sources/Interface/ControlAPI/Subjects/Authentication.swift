public import JSON
public import JSONRPC
public import Time

public struct AuthenticationStart: ControlMethod {
  public static let name = "authentication.start"
  public static let access = AccessClass.answer
  public static let summary = "claims an authentication code"
  public static let errors: [RPCError] = .platform + [.authenticationCode, .accountLocked, .quota]
  public static let audit: AuditRule<Self>? = AuditRule(
    made: \.id,
    outcome: { $1.status == .claimed || $1.status == .completed ? nil : $1.status.name }
  )
  public static let parameters = Shape(
    AuthenticationStart.init(code:),
    .required("code", \.code, as: .text(maximum: 2048), "the code as shown, or a URI that contains it")
  )
  public static var example: Example<Self> { Example(AuthenticationStart(code: "4F7K2M9Q"), Samples.code) }

  public typealias Result = AuthenticationObject

  public let code: String

  public init(code: String) { self.code = code }
}

public struct AuthenticationList: ControlMethod {
  public static let name = "authentication.list"
  public static let access = AccessClass.read
  public static let summary = "lists the claimed authentication codes"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(AuthenticationList.init)
  public static let envelope: Shape<[AuthenticationObject]>? = .member("authentications", "the codes")
  public static var example: Example<Self> { Example(AuthenticationList(), [Samples.code]) }

  public init() {}
}

public struct AuthenticationApprove: ControlMethod {
  public static let name = "authentication.approve"
  public static let access = AccessClass.answer
  public static let summary = "authenticates with a claimed code"
  public static let errors: [RPCError] =
    .platform + .presence + [.notFound, .expired, .alreadyAnswered, .accountLocked, .deviceRequirements]
  public static let audit: AuditRule<Self>? = AuditRule(
    target: \.authentication,
    outcome: { $1 == .completed ? nil : $1.name }
  )
  public static let parameters = Shape(
    AuthenticationApprove.init(authentication:userID:presence:),
    .required("authentication", \.authentication, as: .identifier, "the claimed code"),
    .optional("userId", \.userID, as: .identifier, "the user, required if there are several"),
    PresenceClaim.parameter(\.presence)
  )
  public static let envelope: Shape<Open<AuthenticationObject.Status>>? = .member(
    "status",
    as: .choice(["COMPLETED", "EXPIRED"]),
    "the final status"
  )
  public static var example: Example<Self> {
    Example(AuthenticationApprove(authentication: "c1"), .known(.completed))
  }

  public let authentication: String
  public let userID: String?
  public let presence: PresenceClaim?

  public var worksWhileLocked: Bool { presence != nil }

  public init(authentication: String, userID: String? = nil, presence: PresenceClaim? = nil) {
    (self.authentication, self.userID, self.presence) = (authentication, userID, presence)
  }
}

public struct AuthenticationDeny: ControlMethod {
  public static let name = "authentication.deny"
  public static let access = AccessClass.answer
  public static let summary = "denies a claimed code"
  public static let errors: [RPCError] = .platform + [.notFound, .expired, .alreadyAnswered]
  public static let audit: AuditRule<Self>? = AuditRule(
    target: \.authentication,
    outcome: { $1 == .denied ? nil : $1.name }
  )
  public static let parameters = Shape(
    AuthenticationDeny.init(authentication:userID:),
    .required("authentication", \.authentication, as: .identifier, "the claimed code"),
    .optional("userId", \.userID, as: .identifier, "the user, required if there are several")
  )
  public static let envelope: Shape<Open<AuthenticationObject.Status>>? = .member(
    "status",
    as: .choice(["DENIED", "EXPIRED"]),
    "the final status"
  )
  public static var example: Example<Self> {
    Example(AuthenticationDeny(authentication: "c1"), .known(.denied))
  }

  public let authentication: String
  public let userID: String?

  public var worksWhileLocked: Bool { true }

  public init(authentication: String, userID: String? = nil) {
    (self.authentication, self.userID) = (authentication, userID)
  }
}

/// An authentication code that was claimed.
public struct AuthenticationObject: ControlObject {
  public enum Status: String, ControlChoice {
    case claimed = "CLAIMED"
    case expired = "EXPIRED"
    case denied = "DENIED"
    case completed = "COMPLETED"
  }

  /// A user in the native SDK's form: the names are direct members.
  public struct Candidate: ControlObject, Equatable {
    public let id: String
    public let username: String?
    public let email: String?
    public let given: String?
    public let family: String?

    public static let shape = Shape(
      Candidate.init(id:username:email:given:family:),
      .required("userId", \.id, as: .identifier, "the id, for approving or denying"),
      .optional("username", \.username, "the sign-on name"),
      .optional("email", \.email, "the e-mail address"),
      .optional("given", \.given, "the given name"),
      .optional("family", \.family, "the family name")
    )
  }

  public let id: String
  public let status: Open<Status>
  public let users: [Candidate]
  public let userApproval: String
  public let clientContext: JSON?
  public let expiresAt: Timestamp

  public static let shape = Shape(
    "AuthenticationObject",
    AuthenticationObject.init(id:status:users:userApproval:clientContext:expiresAt:),
    .required("id", \.id, as: .identifier, "the claimed code's id"),
    .required("status", \.status, "the status"),
    .required("users", \.users, "the users that can authenticate with it"),
    .required(
      "userApproval",
      \.userApproval,
      as: .choice(["REQUIRED", "NOT_REQUIRED"]),
      "whether the user must be asked"
    ),
    .optional("clientContext", \.clientContext, "the relying party's context"),
    .required("expiresAt", \.expiresAt, "the expiry time")
  )
}

extension AuthenticationObject {
  public init(
    id: String,
    status: Status,
    users: [User],
    userApproval: String,
    clientContext: JSON?,
    expiresAt: Timestamp
  ) {
    self.init(
      id: id,
      status: .known(status),
      users: users.map(Candidate.init),
      userApproval: userApproval,
      clientContext: clientContext,
      expiresAt: expiresAt
    )
  }
}

extension AuthenticationObject.Candidate {
  fileprivate init(_ user: User) {
    (id, username, email) = (user.id, user.username, user.email)
    (given, family) = (user.name?.given, user.name?.family)
  }
}

/// The authentication method of an approval, by the names of RFC 8176 section 2.
///
/// Every value except the standard one requires a verification for this approval.
public enum AuthenticationMethod {
  /// The default: user presence was tested.
  public static let standard = "user"

  static let schema = Schema.choice([
    "face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pwd", "rba", "retina", "sc",
    "sms",
    "swk", "tel", "user", "vbm", "wia",
  ])

  /// The parameter of every method that approves.
  static func parameter<Root: Sendable>(_ get: @escaping @Sendable (Root) -> String) -> Field<Root, String> {
    .optional(
      "authenticationMethod",
      get,
      as: schema,
      default: standard,
      "the user's authentication method, RFC 8176"
    )
  }
}
