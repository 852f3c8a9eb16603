package import JSON
package import JSONRPC

/// Lists the authentication codes that were claimed.
package struct AuthenticationList: ControlMethod {
  package static let name = "authentication.list"
  package static let access = AccessClass.read
  package static let summary = "lists the authentication codes that were claimed"
  package static let parameters: [Property] = []

  /// The claimed codes.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([
      .required("authentications", .array(AuthenticationObject.schema))
    ])

    /// The claimed codes.
    package let authentications: [AuthenticationObject]

    /// The answer.
    package var json: JSON { ["authentications": .array(authentications.map(\.json))] }

    /// The claimed codes.
    package init(authentications: [AuthenticationObject]) { self.authentications = authentications }
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
