package import JSONRPC

/// Says by which provider pushes come to this machine.
package struct DeviceSetPushToken: ControlMethod {
  package static let name = "device.setPushToken"
  package static let access = AccessClass.use
  package static let summary = "says by which provider pushes come, and with which token"
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule()
  package static let parameters: [Property] = [
    .required("provider", .choice(PushProvider.allCases.map(\.rawValue))),
    .optional("token", .text(maximum: 4096)),
    .optional("environment", .choice(PushEnvironment.allCases.map(\.rawValue))),
  ]

  package typealias Answer = PushChannelReport

  package let provider: PushProvider
  /// The address that the provider gave; secret.
  package let token: String?
  /// Which of Apple's services it is for; only for APNS.
  package let environment: PushEnvironment?

  package init(_ parameters: Parameters) throws(RPCError) {
    guard let provider = PushProvider(rawValue: try parameters.text("provider")) else {
      throw .invalidParameter("provider")
    }
    self.provider = provider
    token = parameters.optionalText("token")
    environment = parameters.optionalText("environment").flatMap(PushEnvironment.init(rawValue:))
  }
}
