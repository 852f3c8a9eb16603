package import JSON
package import JSONRPC

/// Lists the pairings that wait for the caller.
package struct PairingList: ControlMethod {
  package static let name = "pairing.list"
  package static let access = AccessClass.read
  package static let summary = "lists the pairings that wait for the caller"
  package static let parameters: [Property] = []

  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("pairings", .array(PairingRequest.schema))])

    package let pairings: [PairingRequest]

    package var json: JSON { ["pairings": .array(pairings.map(\.json))] }

    package init(pairings: [PairingRequest]) { self.pairings = pairings }
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
