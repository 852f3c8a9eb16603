package import JSONRPC

/// Says whether pushes may come to this machine.
package struct DeviceSetPushAllowed: ControlMethod {
  package static let name = "device.setPushAllowed"
  package static let access = AccessClass.use
  package static let summary = "says whether pushes may come to this machine"
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule()
  package static let parameters: [Property] = [.required("allowed", .boolean)]

  package typealias Answer = PushChannelReport

  package let isAllowed: Bool

  package init(_ parameters: Parameters) throws(RPCError) { isAllowed = parameters.flag("allowed") }
}
