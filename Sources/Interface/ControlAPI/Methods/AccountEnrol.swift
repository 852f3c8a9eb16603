package import JSONRPC

package struct AccountEnrol: ControlMethod {
  package static let name = "account.enrol"
  package static let access = AccessClass.admin
  package static let summary = "makes an account of an enrolment URI, as a QR code holds it"
  package static let errors: [RPCError] = [
    .conflict, .quota, .keyUnavailable, .noConnectivity, .serverError, .tokenRejected, .policyRefuses,
    .originRefused,
  ]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.id)
  package static let parameters = Shape(
    AccountEnrol.init(uri:),
    .required("uri", \.uri, as: .text(maximum: 8192), "an otpauth, pushauth or mfauth URI")
  )
  package static var example: Example<Self> {
    Example(AccountEnrol(uri: Samples.keyURI), Samples.oathAccount)
  }

  package typealias Result = Account

  package let uri: String

  package init(uri: String) { self.uri = uri }
}
