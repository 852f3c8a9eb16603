public import JSON
public import JSONRPC
public import Time

public struct SessionList: ControlMethod {
  public static let name = "session.list"
  public static let access = AccessClass.read
  public static let summary = "lists the kept sessions of sign-ons"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(SessionList.init)
  public static let envelope: Shape<[SignOnSession]>? = .member("sessions", "the sessions, newest first")
  public static var example: Example<Self> { Example(SessionList(), [Samples.session]) }

  public init() {}
}

public struct SessionEnd: ControlMethod {
  public static let name = "session.end"
  public static let access = AccessClass.use
  public static let summary = "ends a kept session, here and at its issuer"
  public static let errors: [RPCError] = .session
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule(target: \.session)
  public static let parameters = Shape(
    SessionEnd.init(session:),
    .required("session", \.session, as: .identifier, "the session")
  )
  public static var example: Example<Self> { Example(SessionEnd(session: "s1"), Nothing()) }

  public typealias Result = Nothing

  public let session: String

  public init(session: String) { self.session = session }
}

public struct SessionLogout: ControlMethod {
  public static let name = "session.logout"
  public static let access = AccessClass.use
  public static let summary = "ends the kept session of an account's user, here and at its issuer"
  public static let errors: [RPCError] = .session
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  public static let parameters = Shape(
    SessionLogout.init(account:),
    .required("account", \.account, as: .identifier, "the user's account")
  )
  public static var example: Example<Self> { Example(SessionLogout(account: "a1"), Nothing()) }

  public typealias Result = Nothing

  public let account: String

  public init(account: String) { self.account = account }
}

public struct SessionUserinfo: ControlMethod {
  public static let name = "session.userinfo"
  public static let access = AccessClass.use
  public static let summary = "returns the issuer's claims of the user of a kept session"
  public static let errors: [RPCError] = .session + [.expired]
  public static let parameters = Shape(
    SessionUserinfo.init(account:isFresh:),
    .required("account", \.account, as: .identifier, "the user's account"),
    .optional("fresh", \.isFresh, default: false, "true to ask the issuer again")
  )
  public static var example: Example<Self> {
    Example(
      SessionUserinfo(account: "a1"),
      ["sub": "u-1", "preferred_username": "ann", "given_name": "Ann", "family_name": "Archer"]
    )
  }

  /// The claims of a UserInfo response, OpenID Connect Core section 5.3.2.
  public typealias Result = JSONObject

  public let account: String
  public let isFresh: Bool

  public init(account: String, isFresh: Bool = false) {
    (self.account, self.isFresh) = (account, isFresh)
  }
}

/// A session of a sign-on, which the daemon keeps sealed.
public struct SignOnSession: ControlObject {
  public let id: String
  /// The server: an issuer, or a realm of PingAM.
  public let issuer: String
  /// The user's id at the issuer; `nil` for the session of a journey.
  public let subject: String?
  /// The time of the last change.
  public let updatedAt: Timestamp

  public init(id: String, issuer: String, subject: String?, updatedAt: Timestamp) {
    (self.id, self.issuer, self.subject, self.updatedAt) = (id, issuer, subject, updatedAt)
  }

  /// The session without the user's id, which may be a name.
  public var impersonal: SignOnSession {
    SignOnSession(id: id, issuer: issuer, subject: nil, updatedAt: updatedAt)
  }

  public static let shape = Shape(
    "Session",
    SignOnSession.init(id:issuer:subject:updatedAt:),
    .required("id", \.id, as: .identifier, "the session's id"),
    .required("issuer", \.issuer, as: .text(maximum: 2048), "the server: an issuer, or a realm of PingAM"),
    .optional("user", \.subject, as: .text(maximum: 255), "the user's id at the server"),
    .required("updatedAt", \.updatedAt, "the time of the last change")
  )
}
