package import JSONRPC

/// Lets a waiting pairing go.
package struct PairingIgnore: ControlMethod {
  package static let name = "pairing.ignore"
  package static let access = AccessClass.answer
  package static let summary = "lets a waiting pairing go"
  package static let parameters: [Property] = [
    .required("pairing", .identifier)
  ]
  package static let audit: AuditRule? = AuditRule(.parameter("pairing"))

  package typealias Answer = Nothing

  package let pairing: String

  package init(_ parameters: Parameters) throws(RPCError) {
    pairing = try parameters.text("pairing")
  }
}
