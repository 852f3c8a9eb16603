public import JSON
public import JSONRPC
public import Time

public struct LoginStart: ControlMethod {
  public static let name = "login.start"
  public static let access = AccessClass.answer
  public static let summary = "starts a sign-on, which may end in a pairing"
  public static let errors: [RPCError] = .signOn + [.originRefused]
  public static let audit: AuditRule<Self>? = AuditRule(made: \.login, outcome: { $1.remarkableOutcome })
  public static let parameters = Shape(
    LoginStart.init(method:issuer:journey:forcesAuthentication:wantsNoSession:locale:parameters:devices:),
    .required("method", \.method, "the sign-on method"),
    .optional(
      "issuer",
      \.issuer,
      as: .text(maximum: 2048),
      "the issuer; default: the first configured one"
    ),
    .optional("journey", \.journey, as: .text(maximum: 256), "the name of the journey"),
    .optional(
      "forceAuth",
      \.forcesAuthentication,
      default: false,
      "true to sign on again despite a server session"
    ),
    .optional(
      "noSession",
      \.wantsNoSession,
      default: false,
      "true to keep nothing here that identifies the user to the server"
    ),
    .optional("locale", \.locale, as: .text(maximum: 64), "the language, as in Accept-Language"),
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
      "the operations on the user's devices after the sign-on"
    )
  )
  public static var example: Example<Self> { Example(LoginStart(method: .signon), Samples.step) }

  public typealias Result = Node

  public let method: LoginMethod
  public let issuer: String?
  public let journey: String?
  public let forcesAuthentication: Bool
  /// True if a journey must not create a session.
  public let wantsNoSession: Bool
  public let locale: String?
  /// Further parameters of the authorization request.
  public let parameters: [(name: String, value: String)]
  public let devices: DeviceOrders?

  public init(
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

public struct LoginNext: ControlMethod {
  public static let name = "login.next"
  public static let access = AccessClass.answer
  public static let summary =
    "continues a sign-on with the step's inputs; a step that only waits takes none"
  public static let errors: [RPCError] =
    .signOn + .presence + [.expired, .ambiguous, .policyRefuses, .originRefused]
  public static let audit: AuditRule<Self>? = AuditRule(target: \.login, outcome: { $1.remarkableOutcome })
  public static let parameters = Shape(
    LoginNext.init(login:values:action:presence:),
    .required("login", \.login, as: .identifier, "the sign-on"),
    .optional(
      "values",
      \.values,
      default: JSONObject(),
      "the inputs by collector key; the input {\"passcode\": ACCOUNT}: a passcode of this machine"
    ),
    .optional("action", \.action, as: .text(maximum: 256), "the action; default: the first of kind submit"),
    PresenceClaim.parameter(\.presence)
  )
  public static var example: Example<Self> {
    Example(
      LoginNext(login: "l1", values: ["username": "ann", "password": "…"]),
      Samples.signedOn(by: .signon)
    )
  }

  public typealias Result = Node

  public let login: String
  public let values: JSONObject
  public let action: String?
  public let presence: PresenceClaim?

  public var worksWhileLocked: Bool { presence != nil }

  public init(
    login: String,
    values: JSONObject = [:],
    action: String? = nil,
    presence: PresenceClaim? = nil
  ) {
    (self.login, self.values, self.action, self.presence) = (login, values, action, presence)
  }
}

public struct LoginResume: ControlMethod {
  public static let name = "login.resume"
  public static let access = AccessClass.answer
  public static let summary = "continues a sign-on with a URL from a browser or an e-mail"
  public static let errors: [RPCError] = .signOn + [.expired]
  public static let audit: AuditRule<Self>? = AuditRule(target: \.login, outcome: { $1.remarkableOutcome })
  public static let parameters = Shape(
    LoginResume.init(login:address:),
    .required("login", \.login, as: .identifier, "the sign-on"),
    .required(
      "uri",
      \.address,
      as: .text(maximum: 16_384),
      "the final URL of the browser, or a link of an e-mail"
    )
  )
  public static var example: Example<Self> {
    Example(
      LoginResume(login: "l1", address: "http://127.0.0.1/callback?code=x&state=y"),
      Samples.signedOn(by: .redirect)
    )
  }

  public typealias Result = Node

  public let login: String
  public let address: String

  public init(login: String, address: String) {
    (self.login, self.address) = (login, address)
  }
}

public struct LoginCancel: ControlMethod {
  public static let name = "login.cancel"
  public static let access = AccessClass.answer
  public static let summary = "cancels a sign-on; a request that it has sent stays pending"
  public static let errors: [RPCError] = [.notFound, .expired]
  public static let audit: AuditRule<Self>? = AuditRule(target: \.login)
  public static let parameters = Shape(
    LoginCancel.init(login:),
    .required("login", \.login, as: .identifier, "the sign-on")
  )
  public static var example: Example<Self> { Example(LoginCancel(login: "l1"), Nothing()) }

  public typealias Result = Nothing

  public let login: String

  public init(login: String) { self.login = login }
}

/// A sign-on method.
public enum LoginMethod: String, ControlChoice {
  /// The steps of a PingOne sign-on policy.
  case signon
  /// The pages of a DaVinci flow.
  case davinci
  /// The callbacks of a PingAM journey.
  case journey
  /// A browser that is redirected to this machine.
  case redirect
  /// A browser on any device, where the user types a code, RFC 8628.
  case device
}

public struct PayloadGenerate: ControlMethod {
  public static let name = "payload.generate"
  public static let access = AccessClass.use
  public static let summary = "creates a mobile payload for one authorize request"
  public static let errors: [RPCError] = [.notConfigured, .keyUnavailable, .quota]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(PayloadGenerate.init)
  public static var example: Example<Self> {
    Example(
      PayloadGenerate(),
      Result(mobilePayload: "eyJ….eyJ….sig", expiresAt: Samples.instant)
    )
  }

  public struct Result: ControlObject {
    public let mobilePayload: String
    public let expiresAt: Timestamp

    public init(mobilePayload: String, expiresAt: Timestamp) {
      (self.mobilePayload, self.expiresAt) = (mobilePayload, expiresAt)
    }

    public static let shape = Shape(
      Result.init(mobilePayload:expiresAt:),
      .required(
        "mobilePayload",
        \.mobilePayload,
        as: .text(maximum: 8192),
        "a compact JWS for the parameter mobilePayload"
      ),
      .required("expiresAt", \.expiresAt, "the expiry time")
    )
  }

  public init() {}
}
