package import JSONRPC

package struct PasscodeImport: ControlMethod {
  package static let name = "passcode.import"
  package static let access = AccessClass.admin
  package static let summary = "makes an account of the secret in an otpauth URI"
  package static let errors: [RPCError] = [.conflict, .quota, .keyUnavailable]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.id)
  package static let parameters = Shape(
    PasscodeImport.init(uri:),
    .required("uri", \.uri, as: .text(maximum: 8192), "an otpauth://totp or otpauth://hotp URI")
  )
  package static var example: Example<Self> {
    Example(PasscodeImport(uri: Samples.keyURI), Samples.oathAccount)
  }

  package typealias Result = Account

  package let uri: String

  package init(uri: String) { self.uri = uri }
}
