package import JSONRPC

package struct DeviceSetPushAllowed: ControlMethod {
  package static let name = "device.setPushAllowed"
  package static let access = AccessClass.use
  package static let summary = "says whether pushes may come to this machine"
  package static let errors: [RPCError] = .platform
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(
    DeviceSetPushAllowed.init(isAllowed:),
    .required("allowed", \.isAllowed, "whether they may")
  )
  package static var example: Example<Self> {
    Example(
      DeviceSetPushAllowed(isAllowed: true),
      PushChannelReport(isPushEnabled: true, errors: [])
    )
  }

  package typealias Result = PushChannelReport

  package let isAllowed: Bool

  package init(isAllowed: Bool) { self.isAllowed = isAllowed }
}
