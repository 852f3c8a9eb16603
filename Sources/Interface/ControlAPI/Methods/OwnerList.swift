package import JSON
package import JSONRPC

/// Lists everybody who has something here.
package struct OwnerList: ControlMethod {
  package static let name = "owner.list"
  package static let access = AccessClass.service
  package static let summary = "lists everybody who has something here"
  package static let parameters: [Property] = []

  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("owners", .array(Owner.schema))])

    package let owners: [Owner]

    package var json: JSON { ["owners": .array(owners.map(\.json))] }

    package init(owners: [Owner]) { self.owners = owners }
  }

  package init(_ parameters: Parameters) throws(RPCError) {}
}
