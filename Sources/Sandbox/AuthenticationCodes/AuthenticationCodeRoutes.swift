import EventLoop
import HTTPServer
import JSON

/// `/{environment}/authenticationCodes`.
enum AuthenticationCodeRoutes {
  static let routes: [Route<Endpoint>] = [
    .administrator("POST", "/{environment}/authenticationCodes", create),
    .administrator("GET", "/{environment}/authenticationCodes/{authenticationCode}", read),
    .administrator("DELETE", "/{environment}/authenticationCodes/{authenticationCode}", delete),
  ]

  private static let maximumContext = 8 * 1024

  @EventLoop
  private static func create(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let body = try call.body()
    guard let application = try body.reference("application", to: Application.self) else {
      throw .invalid("application", "must be given", code: "REQUIRED_VALUE")
    }
    guard application == tenant.application.id else {
      throw .invalid("application.id", "is not an application of this environment")
    }
    let context = try body.members("clientContext", maximum: maximumContext)
    let lifeTime = try body.seconds("lifeTime", in: AuthenticationCode.lifeTimes)
    let seconds = lifeTime ?? AuthenticationCode.defaultLifeTime
    let code = AuthenticationCode(
      id: .random(),
      code: tenant.unusedAuthenticationCode(),
      application: application,
      clientContext: context.map { .object($0.object) },
      needsApproval: try needsApproval(in: body),
      lifeTime: seconds,
      deadline: tenant.clock.deadline(in: seconds),
      createdAt: tenant.clock.now,
      updatedAt: tenant.clock.now
    )
    tenant.keep(code)
    return .json(201, tenant.json(of: code))
  }

  private static func needsApproval(in body: Members) throws(PingOneError) -> Bool {
    switch try body.text("userApproval") {
    case nil, "REQUIRED": return true
    case "NOT_REQUIRED": return false
    default: throw .invalid("userApproval", "must be REQUIRED or NOT_REQUIRED")
    }
  }

  @EventLoop
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try code(of: call)))
  }

  @EventLoop
  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.authenticationCodes[try code(of: call).id] = nil
    return .noContent
  }

  @EventLoop
  private static func code(of call: Call) throws(PingOneError) -> AuthenticationCode {
    let id = call.id("authenticationCode", of: AuthenticationCode.self)
    guard let code = call.tenant.authenticationCodes[id] else { throw .notFound }
    return code
  }
}

extension Tenant {
  fileprivate func unusedAuthenticationCode() -> String {
    while true {
      let code = randomText(AuthenticationCode.length, of: codeAlphabet)
      if authenticationCodes.first(where: { $0.code == code }) == nil { return code }
    }
  }

  /// A code as the authentication API shows it.
  fileprivate func json(of code: AuthenticationCode) -> JSON {
    .present([
      ("_links", .links([("self", "\(authenticationURL)/authenticationCodes/\(code.id.text)")])),
      ("id", .id(code.id)), ("environment", .reference(environment.id)), ("code", .string(code.code)),
      ("uri", .string("pingonesdk?authentication_code=\(code.code)")),
      ("application", .reference(code.application)), ("clientContext", code.clientContext),
      ("lifeTime", .seconds(code.lifeTime)),
      ("userApproval", .string(code.needsApproval ? "REQUIRED" : "NOT_REQUIRED")),
      ("status", .string(status(of: code).rawValue)), ("user", code.user.map { .reference($0) }),
      ("expiresAt", .time(clock.instant(of: code.deadline))),
      ("createdAt", .time(code.createdAt)), ("updatedAt", .time(code.updatedAt)),
    ])
  }
}
