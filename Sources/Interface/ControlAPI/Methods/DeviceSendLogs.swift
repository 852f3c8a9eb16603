package import JSONRPC

package struct DeviceSendLogs: ControlMethod {
  package static let name = "device.sendLogs"
  package static let access = AccessClass.use
  package static let summary = "sends the platform what the daemon noted lately, nothing secret or personal"
  package static let errors: [RPCError] = .platform
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(DeviceSendLogs.init)
  package static let example = Example(DeviceSendLogs(), Answer(supportID: "S-4711"))

  package struct Answer: ControlObject {
    package let supportID: String

    package init(supportID: String) { self.supportID = supportID }

    package static let shape = Shape(
      Answer.init(supportID:),
      .required("supportId", \.supportID, as: .identifier, "what to tell the support of the organization")
    )
  }

  package init() {}
}
