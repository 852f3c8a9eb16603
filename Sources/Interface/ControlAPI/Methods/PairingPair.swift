package import JSONRPC

package struct PairingPair: ControlMethod {
  package static let name = "pairing.pair"
  package static let access = AccessClass.answer
  package static let summary = "pairs this machine with the user that a pairing key was made for"
  package static let errors: [RPCError] = .pairing + [.bundleID]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.account)
  package static let parameters = Shape(
    PairingPair.init(pairingKey:),
    .required("pairingKey", \.pairingKey, as: .text(maximum: 64), "the key as it was typed")
  )
  package static var example: Example<Self> {
    Example(PairingPair(pairingKey: "01882778807215"), Samples.paired)
  }

  package typealias Result = PairingInfo

  package let pairingKey: String

  package init(pairingKey: String) { self.pairingKey = pairingKey }
}
