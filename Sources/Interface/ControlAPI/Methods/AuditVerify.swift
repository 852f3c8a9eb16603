package import JSONRPC

package struct AuditVerify: ControlMethod {
  package static let name = "audit.verify"
  package static let access = AccessClass.read
  package static let summary =
    "tells whether the audit is as it was recorded: the caller's own, for root everybody's"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(AuditVerify.init)
  package static var example: Example<Self> {
    Example(AuditVerify(), AuditVerification(entries: 12, isSound: true))
  }

  package typealias Result = AuditVerification

  package init() {}
}
