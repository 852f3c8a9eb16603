package import JSON
package import JSONRPC
package import Time

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

package struct LoginNext: ControlMethod {
  package static let name = "login.next"
  package static let access = AccessClass.answer
  package static let summary =
    "goes on with a step of a sign-on; one that only waits is gone on with without values"
  package static let errors: [RPCError] =
    .signOn + .presence + [.expired, .ambiguous, .policyRefuses, .originRefused]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.login, outcome: { $1.remarkableOutcome })
  package static let parameters = Shape(
    LoginNext.init(login:values:action:presence:),
    .required("login", \.login, as: .identifier, "the sign-on"),
    .optional(
      "values",
      \.values,
      default: JSONObject(),
      "the inputs by the keys of the step's collectors; {\"passcode\": ACCOUNT} as one: a passcode of this machine"
    ),
    .optional("action", \.action, as: .text(maximum: 256), "how to go on; absent: the first of kind submit"),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> {
    Example(
      LoginNext(login: "l1", values: ["username": "ann", "password": "…"]),
      Samples.signedOn(by: .signon)
    )
  }

  package typealias Result = Node

  package let login: String
  package let values: JSONObject
  package let action: String?
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(
    login: String,
    values: JSONObject = [:],
    action: String? = nil,
    presence: PresenceClaim? = nil
  ) {
    (self.login, self.values, self.action, self.presence) = (login, values, action, presence)
  }
}

package struct LoginResume: ControlMethod {
  package static let name = "login.resume"
  package static let access = AccessClass.answer
  package static let summary = "goes on with a sign-on from an address that a browser or an e-mail gave"
  package static let errors: [RPCError] = .signOn + [.expired]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.login, outcome: { $1.remarkableOutcome })
  package static let parameters = Shape(
    LoginResume.init(login:address:),
    .required("login", \.login, as: .identifier, "the sign-on"),
    .required(
      "uri",
      \.address,
      as: .text(maximum: 16_384),
      "the address that the browser ended at, or a link of an e-mail"
    )
  )
  package static var example: Example<Self> {
    Example(
      LoginResume(login: "l1", address: "http://127.0.0.1/callback?code=x&state=y"),
      Samples.signedOn(by: .redirect)
    )
  }

  package typealias Result = Node

  package let login: String
  package let address: String

  package init(login: String, address: String) {
    (self.login, self.address) = (login, address)
  }
}

package struct LoginCancel: ControlMethod {
  package static let name = "login.cancel"
  package static let access = AccessClass.answer
  package static let summary = "ends a sign-on; a request that it has sent stays to be decided"
  package static let errors: [RPCError] = [.notFound, .expired]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.login)
  package static let parameters = Shape(
    LoginCancel.init(login:),
    .required("login", \.login, as: .identifier, "the sign-on")
  )
  package static var example: Example<Self> { Example(LoginCancel(login: "l1"), Nothing()) }

  package typealias Result = Nothing

  package let login: String

  package init(login: String) { self.login = login }
}

/// A way to sign on.
package enum LoginMethod: String, ControlChoice {
  /// The steps of a PingOne sign-on policy.
  case signon
  /// The pages of a DaVinci flow.
  case davinci
  /// The callbacks of a PingAM journey.
  case journey
  /// A browser, which is sent back to this machine.
  case redirect
  /// A browser anywhere, by a code that is typed there, RFC 8628.
  case device
}

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
