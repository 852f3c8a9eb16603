package import JSONRPC

package struct PairingApprove: ControlMethod {
  package static let name = "pairing.approve"
  package static let access = AccessClass.answer
  package static let summary = "pairs this machine as a waiting pairing asks"
  package static let errors: [RPCError] = .pairing + .presence + [.notFound, .expired]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.pairing)
  package static let parameters = Shape(
    PairingApprove.init(pairing:presence:),
    .required("pairing", \.pairing, as: .identifier, "the waiting pairing"),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> { Example(PairingApprove(pairing: "p1"), Samples.paired) }

  package typealias Result = PairingInfo

  package let pairing: String
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(pairing: String, presence: PresenceClaim? = nil) {
    (self.pairing, self.presence) = (pairing, presence)
  }
}
