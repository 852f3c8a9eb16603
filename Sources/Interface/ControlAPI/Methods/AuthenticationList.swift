package import JSON
package import JSONRPC

/// Lists the authentication codes that were claimed.
package struct AuthenticationList: ControlMethod {
  package static let name = "authentication.list"
  package static let access = AccessClass.read
  package static let summary = "lists the authentication codes that were claimed"
  package static let parameters: [Property] = []

  package struct Answer: ControlValue {
    package static let schema = Schema.object([
      .required("authentications", .array(AuthenticationObject.schema))
    ])

    package let authentications: [AuthenticationObject]

    package var json: JSON { ["authentications": .array(authentications.map(\.json))] }

    package init(authentications: [AuthenticationObject]) { self.authentications = authentications }
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
