package import JSON
package import JSONRPC

/// Ends a pairing, on both sides or on this one alone.
package struct AccountRemove: ControlMethod {
  package static let name = "account.remove"
  package static let access = AccessClass.admin
  package static let summary = "ends a pairing, on both sides or on this one alone"
  package static let parameters: [Property] = [
    .required("account", .identifier), .optional("localOnly", .boolean),
  ]
  package static let audit: AuditRule? = AuditRule(.parameter("account"))

  /// What is left of it.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("remainsOnServer", .boolean)])

    /// Whether the platform still has the pairing.
    package let remainsOnServer: Bool

    package var json: JSON { ["remainsOnServer": .bool(remainsOnServer)] }

    /// Whether the platform still has the pairing.
    package init(remainsOnServer: Bool) { self.remainsOnServer = remainsOnServer }
  }

  package let account: String
  /// Whether the platform is not told.
  package let isLocalOnly: Bool

  package init(_ parameters: Parameters) throws(RPCError) {
    (account, isLocalOnly) = (try parameters.text("account"), parameters.flag("localOnly"))
  }
}
