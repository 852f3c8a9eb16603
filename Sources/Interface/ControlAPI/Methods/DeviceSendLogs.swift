package import JSONRPC

package struct DeviceSendLogs: ControlMethod {
  package static let name = "device.sendLogs"
  package static let access = AccessClass.use
  package static let summary = "sends the platform what the daemon noted lately, nothing secret or personal"
  package static let errors: [RPCError] = .platform
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(DeviceSendLogs.init)
  package static let envelope: Shape<String>? = .member(
    "supportId",
    as: .identifier,
    "what to tell the support of the organization"
  )
  package static var example: Example<Self> { Example(DeviceSendLogs(), "S-4711") }

  package init() {}
}
