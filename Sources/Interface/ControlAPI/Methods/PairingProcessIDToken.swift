package import JSON
package import JSONRPC

/// Verifies an ID token and tells what it asks to pair.
package struct PairingProcessIDToken: ControlMethod {
  package static let name = "pairing.processIdToken"
  package static let access = AccessClass.answer
  package static let summary = "verifies an ID token and tells what it asks to pair"
  package static let parameters: [Property] = [
    .required("idToken", .text(maximum: 65_536)),
    .optional("nonce", .text(maximum: 1024)),
  ]
  package static let audit: AuditRule? = AuditRule(.answer(["pairing", "id"]))

  /// What there is to pair, if anything.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("pairing", .nullable(PairingRequest.schema))])

    /// What there is to pair, if anything.
    package let pairing: PairingRequest?

    package var json: JSON { ["pairing": pairing?.json ?? .null] }

    /// What there is to pair, if anything.
    package init(pairing: PairingRequest?) { self.pairing = pairing }
  }

  package let idToken: String

  /// The nonce of the authorize request.
  package let nonce: String?

  package init(_ parameters: Parameters) throws(RPCError) {
    idToken = try parameters.text("idToken")
    nonce = parameters.optionalText("nonce")
  }
}
