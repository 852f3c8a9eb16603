package import JSON
package import JSONRPC

package struct LoginStart: ControlMethod {
  package static let name = "login.start"
  package static let access = AccessClass.answer
  package static let summary = "begins a sign-on, which may end in a pairing"
  package static let errors: [RPCError] = .signOn + [.originRefused]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.login, outcome: { $1.remarkableOutcome })
  package static let parameters = Shape(
    LoginStart.init(method:issuer:journey:forcesAuthentication:wantsNoSession:locale:parameters:devices:),
    .required("method", \.method, "how to sign on"),
    .optional(
      "issuer",
      \.issuer,
      as: .text(maximum: 2048),
      "the issuer; absent: the first that is configured"
    ),
    .optional("journey", \.journey, as: .text(maximum: 256), "the name of the journey"),
    .optional(
      "forceAuth",
      \.forcesAuthentication,
      default: false,
      "sign on anew, though the server may know the user"
    ),
    .optional(
      "noSession",
      \.wantsNoSession,
      default: false,
      "leave nothing here by which the server knows the user again"
    ),
    .optional("locale", \.locale, as: .text(maximum: 64), "the language to ask in, as in Accept-Language"),
    .optional(
      "parameters",
      \.parameterObject,
      as: .map(.text(maximum: 2048)),
      default: JSONObject(),
      "further parameters of the authorization request"
    ),
    .optional(
      "devices",
      \.devices,
      "what is done with the user's devices when they have signed on"
    )
  )
  package static var example: Example<Self> { Example(LoginStart(method: .signon), Samples.step) }

  package typealias Result = Node

  package let method: LoginMethod
  package let issuer: String?
  package let journey: String?
  package let forcesAuthentication: Bool
  /// Of a journey no session at all.
  package let wantsNoSession: Bool
  package let locale: String?
  /// Further parameters of the authorization request.
  package let parameters: [(name: String, value: String)]
  package let devices: DeviceOrders?

  package init(
    method: LoginMethod,
    issuer: String? = nil,
    journey: String? = nil,
    forcesAuthentication: Bool = false,
    wantsNoSession: Bool = false,
    locale: String? = nil,
    parameters: JSONObject = [:],
    devices: DeviceOrders? = nil
  ) {
    (self.method, self.issuer, self.journey, self.locale) = (method, issuer, journey, locale)
    (self.forcesAuthentication, self.wantsNoSession) = (forcesAuthentication, wantsNoSession)
    self.devices = devices
    self.parameters = parameters.members.map { ($0.name, $0.value.string ?? "") }
  }

  private var parameterObject: JSONObject { JSONObject(parameters.map { ($0.name, .string($0.value)) }) }
}
