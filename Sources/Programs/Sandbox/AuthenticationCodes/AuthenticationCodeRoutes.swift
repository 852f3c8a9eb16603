import EventLoop
import HTTPServer
import JSON

@EventLoop
enum AuthenticationCodeRoutes {
  static let routes: [Route<Endpoint>] = [
    .administrator("POST", "/{environment}/authenticationCodes", create),
    .administrator("GET", "/{environment}/authenticationCodes/{authenticationCode}", read),
    .administrator("DELETE", "/{environment}/authenticationCodes/{authenticationCode}", delete),
  ]

  private static func create(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let body = try call.body()
    guard let application = try body.application(of: tenant) else { throw body.missing("application") }
    let lifeTime = try body.timeSpan("lifeTime", AuthenticationCode.lifeTimes)
    let life = lifeTime ?? AuthenticationCode.defaultLifeTime
    let code = AuthenticationCode(
      id: .random(),
      code: tenant.unusedAuthenticationCode(),
      application: application.id,
      clientContext: try body.context("clientContext"),
      needsApproval: try needsApproval(in: body),
      lifeTime: life,
      deadline: tenant.clock.deadline(in: life.seconds),
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

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try code(of: call)))
  }

  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.authenticationCodes[try code(of: call).id] = nil
    return .noContent
  }

  private static func code(of call: Call) throws(PingOneError) -> AuthenticationCode {
    try call.thing("authenticationCode", on: call.tenant.authenticationCodes)
  }
}

extension Tenant {
  fileprivate func unusedAuthenticationCode() -> String {
    while true {
      let code = randomText(AuthenticationCode.length, of: codeAlphabet)
      if authenticationCodes.first(where: { $0.code == code }) == nil { return code }
    }
  }

  /// What a QR code holds to bring the code to the application's app.
  private func uri(of code: AuthenticationCode) -> String {
    let prefix = applications[code.application]?.settings.uriPrefix ?? AuthenticationCode.standardPrefix
    return "\(prefix)?authentication_code=\(code.code)"
  }

  /// A code as the authentication API shows it.
  fileprivate func json(of code: AuthenticationCode) -> JSON {
    .present([
      ("_links", .links([("self", "\(authenticationURL)/authenticationCodes/\(code.id.text)")])),
      ("id", .id(code.id)), ("environment", .reference(environment.id)), ("code", .string(code.code)),
      ("uri", .string(uri(of: code))),
      ("application", .reference(code.application)), ("clientContext", code.clientContext),
      ("lifeTime", code.lifeTime.json()),
      ("userApproval", .string(code.needsApproval ? "REQUIRED" : "NOT_REQUIRED")),
      ("status", .string(status(of: code).rawValue)), ("user", code.user.map { .reference($0) }),
      ("expiresAt", .time(clock.instant(of: code.deadline))),
      ("createdAt", .time(code.createdAt)), ("updatedAt", .time(code.updatedAt)),
    ])
  }
}
