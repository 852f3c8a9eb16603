package import Configuration
package import JSONRPC

/// Looks at everything that a push needs to arrive, and lets one come.
package struct DeviceTestPush: ControlMethod {
  package static let name = "device.testPush"
  package static let access = AccessClass.use
  package static let summary = "looks at everything that a push needs to arrive, and lets one come"
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule()
  package static let parameters: [Property] = [
    .optional("geo", .choice(Geography.allCases.map(\.rawValue)))
  ]

  package typealias Answer = PushTestReport

  /// The geography; absent: the first in which somebody is paired.
  package let geography: Geography?

  package init(_ parameters: Parameters) throws(RPCError) {
    geography = parameters.optionalText("geo").flatMap(Geography.init(rawValue:))
  }
}
