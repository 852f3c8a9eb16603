package import JSONRPC

/// Pairs this machine with the user that a pairing key was made for.
package struct PairingPair: ControlMethod {
  package static let name = "pairing.pair"
  package static let access = AccessClass.answer
  package static let summary = "pairs this machine with the user that a pairing key was made for"
  package static let parameters: [Property] = [
    .required("pairingKey", .text(maximum: 64))
  ]
  package static let audit: AuditRule? = AuditRule(.answer(["account"]))

  package typealias Answer = PairingInfo

  /// The key as it was typed.
  package let pairingKey: String

  package init(_ parameters: Parameters) throws(RPCError) {
    pairingKey = try parameters.text("pairingKey")
  }
}
