package import JSONRPC

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
