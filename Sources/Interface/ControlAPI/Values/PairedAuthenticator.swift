/// One way to authenticate that a pairing set up, or did not.
package struct PairedAuthenticator: ControlObject, Equatable {
  package let type: String
  package let status: String
  package var errorCode: String?
  package var errorMessage: String?

  package init(type: String, status: String, errorCode: String? = nil, errorMessage: String? = nil) {
    (self.type, self.status, self.errorCode, self.errorMessage) = (type, status, errorCode, errorMessage)
  }

  package static let shape = Shape(
    PairedAuthenticator.init(type:status:errorCode:errorMessage:),
    .required("type", \.type, as: .choice(["PUSH", "OTP", "PASSKEY"]), "what it does"),
    .required("status", \.status, as: .choice(["COMPLETED", "FAILED"]), "whether it was set up"),
    .optional("errorCode", \.errorCode, "why it failed, by the native SDK's name"),
    .optional("errorMessage", \.errorMessage, "why it failed, for a person")
  )
}
