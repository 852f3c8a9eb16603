package import JSONRPC

package struct AuthenticationStart: ControlMethod {
  package static let name = "authentication.start"
  package static let access = AccessClass.answer
  package static let summary = "claims an authentication code"
  package static let errors: [RPCError] = .platform + [.authenticationCode, .accountLocked, .quota]
  package static let audit: AuditRule<Self>? = AuditRule(
    made: \.id,
    outcome: { $1.status == .claimed || $1.status == .completed ? nil : $1.status.name }
  )
  package static let parameters = Shape(
    AuthenticationStart.init(code:),
    .required("code", \.code, as: .text(maximum: 2048), "the code as it is shown, or a URI that holds it")
  )
  package static var example: Example<Self> { Example(AuthenticationStart(code: "4F7K2M9Q"), Samples.code) }

  package typealias Result = AuthenticationObject

  package let code: String

  package init(code: String) { self.code = code }
}
