package import JSONRPC

package struct PairingList: ControlMethod {
  package static let name = "pairing.list"
  package static let access = AccessClass.read
  package static let summary = "lists the pairings that wait for the caller"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(PairingList.init)
  package static let example = Example(PairingList(), Answer(pairings: [Samples.pairing]))

  package struct Answer: ControlObject {
    package let pairings: [PairingRequest]

    package init(pairings: [PairingRequest]) { self.pairings = pairings }

    package static let shape = Shape(
      Answer.init(pairings:),
      .required("pairings", \.pairings, "the pairings")
    )
  }

  package init() {}
}
