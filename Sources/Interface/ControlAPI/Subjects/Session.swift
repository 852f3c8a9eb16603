package import JSON
package import JSONRPC
package import Time

package struct SessionList: ControlMethod {
  package static let name = "session.list"
  package static let access = AccessClass.read
  package static let summary = "lists the sessions that sign-ons left here"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(SessionList.init)
  package static let envelope: Shape<[SignOnSession]>? = .member("sessions", "the sessions, the newest first")
  package static var example: Example<Self> { Example(SessionList(), [Samples.session]) }

  package init() {}
}

package struct SessionEnd: ControlMethod {
  package static let name = "session.end"
  package static let access = AccessClass.use
  package static let summary = "ends a kept session, here and with its issuer"
  package static let errors: [RPCError] = .session
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule(target: \.session)
  package static let parameters = Shape(
    SessionEnd.init(session:),
    .required("session", \.session, as: .identifier, "the session")
  )
  package static var example: Example<Self> { Example(SessionEnd(session: "s1"), Nothing()) }

  package typealias Result = Nothing

  package let session: String

  package init(session: String) { self.session = session }
}

package struct SessionLogout: ControlMethod {
  package static let name = "session.logout"
  package static let access = AccessClass.use
  package static let summary = "ends the kept session of an account's user, here and with its issuer"
  package static let errors: [RPCError] = .session
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  package static let parameters = Shape(
    SessionLogout.init(account:),
    .required("account", \.account, as: .identifier, "the account whose user it is")
  )
  package static var example: Example<Self> { Example(SessionLogout(account: "a1"), Nothing()) }

  package typealias Result = Nothing

  package let account: String

  package init(account: String) { self.account = account }
}

package struct SessionUserinfo: ControlMethod {
  package static let name = "session.userinfo"
  package static let access = AccessClass.use
  package static let summary = "shows what the issuer says of the user whose sign-on was kept"
  package static let errors: [RPCError] = .session + [.expired]
  package static let parameters = Shape(
    SessionUserinfo.init(account:isFresh:),
    .required("account", \.account, as: .identifier, "the account whose user it is"),
    .optional("fresh", \.isFresh, default: false, "asks the issuer although it was asked before")
  )
  package static var example: Example<Self> {
    Example(
      SessionUserinfo(account: "a1"),
      ["sub": "u-1", "preferred_username": "ann", "given_name": "Ann", "family_name": "Archer"]
    )
  }

  /// What an issuer says of a user, OpenID Connect Core section 5.3.2.
  package typealias Result = JSONObject

  package let account: String
  package let isFresh: Bool

  package init(account: String, isFresh: Bool = false) {
    (self.account, self.isFresh) = (account, isFresh)
  }
}

/// A session that a sign-on left and the daemon keeps, sealed.
package struct SignOnSession: ControlObject {
  package let id: String
  /// Where it is: an issuer, or a realm of PingAM.
  package let issuer: String
  /// The user's id there; absent where only the sign-on itself is remembered.
  package let subject: String?
  /// When it was last changed.
  package let updatedAt: Timestamp

  package init(id: String, issuer: String, subject: String?, updatedAt: Timestamp) {
    (self.id, self.issuer, self.subject, self.updatedAt) = (id, issuer, subject, updatedAt)
  }

  package static let shape = Shape(
    "Session",
    SignOnSession.init(id:issuer:subject:updatedAt:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("issuer", \.issuer, as: .text(maximum: 2048), "where it is: an issuer, or a realm of PingAM"),
    .optional("user", \.subject, as: .text(maximum: 255), "the user's id there"),
    .required("updatedAt", \.updatedAt, "when it was changed last")
  )
}
