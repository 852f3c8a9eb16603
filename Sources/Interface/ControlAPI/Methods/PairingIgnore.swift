package import JSONRPC

package struct PairingIgnore: ControlMethod {
  package static let name = "pairing.ignore"
  package static let access = AccessClass.answer
  package static let summary = "lets a waiting pairing go"
  package static let errors: [RPCError] = [.notFound, .expired, .pairingRunning]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.pairing)
  package static let parameters = Shape(
    PairingIgnore.init(pairing:),
    .required("pairing", \.pairing, as: .identifier, "the waiting pairing")
  )
  package static var example: Example<Self> { Example(PairingIgnore(pairing: "p1"), Nothing()) }

  package typealias Result = Nothing

  package let pairing: String

  package init(pairing: String) { self.pairing = pairing }
}
