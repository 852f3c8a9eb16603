package import JSON
package import JSONRPC

/// Sends the platform what the daemon noted lately, without anything secret or personal.
package struct DeviceSendLogs: ControlMethod {
  package static let name = "device.sendLogs"
  package static let access = AccessClass.use
  package static let summary = "sends the platform what the daemon noted lately, nothing secret or personal"
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule()
  package static let parameters: [Property] = []

  /// By what the organization's support finds it.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("supportId", .identifier)])

    /// The id to tell the support.
    package let supportID: String

    package var json: JSON { ["supportId": .string(supportID)] }

    package init(supportID: String) { self.supportID = supportID }
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
