package import Configuration
package import JSONRPC

package struct DeviceTestPush: ControlMethod {
  package static let name = "device.testPush"
  package static let access = AccessClass.use
  package static let summary = "looks at everything that a push needs to arrive, and lets one come"
  package static let errors: [RPCError] = .platform + [.pushTestRunning]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(
    DeviceTestPush.init(geography:),
    .optional("geo", \.geography, "the geography; absent: the first in which somebody is paired")
  )
  package static var example: Example<Self> {
    Example(
      DeviceTestPush(),
      PushTestReport(PushTestReport.Name.allCases.map { PushTestReport.Test($0, .pass) })
    )
  }

  package typealias Result = PushTestReport

  package let geography: Geography?

  package init(geography: Geography? = nil) { self.geography = geography }
}
