package import JSONRPC

package struct PairingProcessIDToken: ControlMethod {
  package static let name = "pairing.processIdToken"
  package static let access = AccessClass.answer
  package static let summary = "verifies an ID token and tells what it asks to pair"
  package static let errors: [RPCError] = .platform + [.tokenRejected, .quota, .pairingRunning]
  package static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  package static let parameters = Shape(
    PairingProcessIDToken.init(idToken:nonce:),
    .required("idToken", \.idToken, as: .text(maximum: 65_536), "the ID token, a compact JWS"),
    .optional("nonce", \.nonce, as: .text(maximum: 1024), "the nonce of the authorize request")
  )
  package static let envelope: Shape<PairingRequest?>? = .member(
    "pairing",
    "what there is to pair; null: nothing"
  )
  package static var example: Example<Self> {
    Example(PairingProcessIDToken(idToken: "eyJ….eyJ….sig"), Samples.pairing)
  }

  package let idToken: String
  package let nonce: String?

  package init(idToken: String, nonce: String? = nil) {
    (self.idToken, self.nonce) = (idToken, nonce)
  }
}
