package import JSON
package import JSONRPC
package import Time

/// Makes a mobile payload for an authorize request, good once.
package struct PayloadGenerate: ControlMethod {
  package static let name = "payload.generate"
  package static let access = AccessClass.use
  package static let summary = "makes a mobile payload for an authorize request, good once"
  package static let parameters: [Property] = []
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule()

  /// A mobile payload and when it is over.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([
      .required("mobilePayload", .text(maximum: 8192)), .required("expiresAt", .instant),
    ])

    /// A compact JWS for the `mobilePayload` parameter.
    package let mobilePayload: String
    /// When it is over.
    package let expiresAt: Timestamp

    package var json: JSON {
      ["mobilePayload": .string(mobilePayload), "expiresAt": .string(expiresAt.text)]
    }

    /// A payload and its end.
    package init(mobilePayload: String, expiresAt: Timestamp) {
      (self.mobilePayload, self.expiresAt) = (mobilePayload, expiresAt)
    }
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
