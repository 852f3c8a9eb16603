package import JSONRPC

/// Pairs this machine as a waiting pairing asks.
package struct PairingApprove: ControlMethod {
  package static let name = "pairing.approve"
  package static let access = AccessClass.answer
  package static let summary = "pairs this machine as a waiting pairing asks"
  package static let parameters: [Property] = [
    .required("pairing", .identifier)
  ]
  package static let audit: AuditRule? = AuditRule(.parameter("pairing"))

  package typealias Answer = PairingInfo

  package let pairing: String

  package init(_ parameters: Parameters) throws(RPCError) {
    pairing = try parameters.text("pairing")
  }
}
