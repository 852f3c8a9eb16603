package import JSONRPC

/// Ends a kept session, here and with its issuer.
package struct SessionEnd: ControlMethod {
  package static let name = "session.end"
  package static let access = AccessClass.use
  package static let summary = "ends a kept session, here and with its issuer"
  package static let parameters: [Property] = [.required("session", .identifier)]
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule(.parameter("session"))

  package typealias Answer = Nothing

  package let session: String

  package init(_ parameters: Parameters) throws(RPCError) { session = try parameters.text("session") }
}
