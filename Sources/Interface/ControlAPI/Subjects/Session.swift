public import JSON
public import JSONRPC
public import Time

public struct SessionList: ControlMethod {
  public static let name = "session.list"
  public static let access = AccessClass.read
  public static let summary = "lists the sessions that sign-ons left here"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(SessionList.init)
  public static let envelope: Shape<[SignOnSession]>? = .member("sessions", "the sessions, the newest first")
  public static var example: Example<Self> { Example(SessionList(), [Samples.session]) }

  public init() {}
}

public struct SessionEnd: ControlMethod {
  public static let name = "session.end"
  public static let access = AccessClass.use
  public static let summary = "ends a kept session, here and with its issuer"
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
  public static let summary = "ends the kept session of an account's user, here and with its issuer"
  public static let errors: [RPCError] = .session
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  public static let parameters = Shape(
    SessionLogout.init(account:),
    .required("account", \.account, as: .identifier, "the account whose user it is")
  )
  public static var example: Example<Self> { Example(SessionLogout(account: "a1"), Nothing()) }

  public typealias Result = Nothing

  public let account: String

  public init(account: String) { self.account = account }
}

public struct SessionUserinfo: ControlMethod {
  public static let name = "session.userinfo"
  public static let access = AccessClass.use
  public static let summary = "shows what the issuer says of the user whose sign-on was kept"
  public static let errors: [RPCError] = .session + [.expired]
  public static let parameters = Shape(
    SessionUserinfo.init(account:isFresh:),
    .required("account", \.account, as: .identifier, "the account whose user it is"),
    .optional("fresh", \.isFresh, default: false, "asks the issuer although it was asked before")
  )
  public static var example: Example<Self> {
    Example(
      SessionUserinfo(account: "a1"),
      ["sub": "u-1", "preferred_username": "ann", "given_name": "Ann", "family_name": "Archer"]
    )
  }

  /// What an issuer says of a user, OpenID Connect Core section 5.3.2.
  public typealias Result = JSONObject

  public let account: String
  public let isFresh: Bool

  public init(account: String, isFresh: Bool = false) {
    (self.account, self.isFresh) = (account, isFresh)
  }
}

/// A session that a sign-on left and the daemon keeps, sealed.
public struct SignOnSession: ControlObject {
  public let id: String
  /// Where it is: an issuer, or a realm of PingAM.
  public let issuer: String
  /// The user's id there; absent where only the sign-on itself is remembered.
  public let subject: String?
  /// When it was last changed.
  public let updatedAt: Timestamp

  public init(id: String, issuer: String, subject: String?, updatedAt: Timestamp) {
    (self.id, self.issuer, self.subject, self.updatedAt) = (id, issuer, subject, updatedAt)
  }

  public static let shape = Shape(
    "Session",
    SignOnSession.init(id:issuer:subject:updatedAt:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("issuer", \.issuer, as: .text(maximum: 2048), "where it is: an issuer, or a realm of PingAM"),
    .optional("user", \.subject, as: .text(maximum: 255), "the user's id there"),
    .required("updatedAt", \.updatedAt, "when it was changed last")
  )
}
