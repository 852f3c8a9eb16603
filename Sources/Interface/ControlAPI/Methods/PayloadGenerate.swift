package import JSONRPC
package import Time

package struct PayloadGenerate: ControlMethod {
  package static let name = "payload.generate"
  package static let access = AccessClass.use
  package static let summary = "makes a mobile payload for an authorize request, good once"
  package static let errors: [RPCError] = [.notConfigured, .keyUnavailable, .quota]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(PayloadGenerate.init)
  package static var example: Example<Self> {
    Example(
      PayloadGenerate(),
      Result(mobilePayload: "eyJ….eyJ….sig", expiresAt: Samples.instant)
    )
  }

  package struct Result: ControlObject {
    package let mobilePayload: String
    package let expiresAt: Timestamp

    package init(mobilePayload: String, expiresAt: Timestamp) {
      (self.mobilePayload, self.expiresAt) = (mobilePayload, expiresAt)
    }

    package static let shape = Shape(
      Result.init(mobilePayload:expiresAt:),
      .required(
        "mobilePayload",
        \.mobilePayload,
        as: .text(maximum: 8192),
        "a compact JWS for the parameter mobilePayload"
      ),
      .required("expiresAt", \.expiresAt, "when it is over")
    )
  }

  package init() {}
}
