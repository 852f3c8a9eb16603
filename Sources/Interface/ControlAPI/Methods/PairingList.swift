package import JSONRPC

package struct PairingList: ControlMethod {
  package static let name = "pairing.list"
  package static let access = AccessClass.read
  package static let summary = "lists the pairings that wait for the caller"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(PairingList.init)
  package static let envelope: Shape<[PairingRequest]>? = .member("pairings", "the pairings")
  package static var example: Example<Self> { Example(PairingList(), [Samples.pairing]) }

  package init() {}
}
