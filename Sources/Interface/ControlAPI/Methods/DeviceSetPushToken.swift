package import JSONRPC

package struct DeviceSetPushToken: ControlMethod {
  package static let name = "device.setPushToken"
  package static let access = AccessClass.use
  package static let summary = "says by which provider pushes come, and with which token"
  package static let errors: [RPCError] = .platform + [.deviceTokenMissing]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(
    DeviceSetPushToken.init(provider:token:environment:),
    .required("provider", \.provider, "who brings them; POLL: the daemon fetches them itself"),
    .optional(
      "token",
      \.token,
      as: .text(maximum: 4096),
      "the provider's address; secret; UNIFIEDPUSH, WEBPUSH without it: one of this machine's own at its relay"
    ),
    .optional("environment", \.environment, "which of Apple's services it is for; only for APNS")
  )
  package static var example: Example<Self> {
    Example(
      DeviceSetPushToken(provider: .poll),
      PushChannelReport(isPushEnabled: true, errors: [])
    )
  }

  package typealias Result = PushChannelReport

  package let provider: PushProvider
  package let token: String?
  package let environment: PushEnvironment?

  package init(provider: PushProvider, token: String? = nil, environment: PushEnvironment? = nil) {
    (self.provider, self.token, self.environment) = (provider, token, environment)
  }
}
