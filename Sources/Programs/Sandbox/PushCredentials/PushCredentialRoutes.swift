import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}/applications/{application}/pushCredentials`.
@EventLoop
enum PushCredentialRoutes {
  private static let all = "/v1/environments/{environment}/applications/{application}/pushCredentials"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", all, list),
    .administrator("POST", all, create),
    .administrator("GET", "\(all)/{pushCredential}", read),
    .administrator("PUT", "\(all)/{pushCredential}", update),
    .administrator("DELETE", "\(all)/{pushCredential}", delete),
  ]

  private static let maximumSecret = 16 * 1024

  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let application = try call.application()
    return try call.page(
      "pushCredentials",
      at: "\(tenant.url(of: application))/pushCredentials",
      of: tenant.pushCredentials(of: application.id)
    ) { tenant.json(of: $0) }
  }

  private static func create(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let application = try call.application()
    let body = try call.body()
    let kind = try kind(in: body)
    guard !tenant.pushCredentials(of: application.id).contains(where: { $0.kind == kind }) else {
      throw body.invalid("type", "has a credential already", code: "UNIQUENESS_VIOLATION")
    }
    let credential = PushCredential(
      id: .random(),
      application: application.id,
      kind: kind,
      createdAt: tenant.clock.now,
      updatedAt: tenant.clock.now
    )
    tenant.pushCredentials.put(credential)
    return .json(201, tenant.json(of: credential))
  }

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try credential(of: call)))
  }

  private static func update(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var credential = try credential(of: call)
    let body = try call.body()
    guard try kind(in: body) == credential.kind else { throw body.invalid("type", "cannot be changed") }
    credential.updatedAt = call.tenant.clock.now
    call.tenant.pushCredentials.put(credential)
    return .json(200, call.tenant.json(of: credential))
  }

  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.pushCredentials[try credential(of: call).id] = nil
    return .noContent
  }

  /// The kind that a request is of, which has all that the kind needs.
  private static func kind(in body: Members) throws(PingOneError) -> PushCredential.Kind {
    guard let kind = try body.choice("type", of: PushCredential.Kind.self) else { throw body.missing("type") }
    for name in kind.secrets { _ = try body.requiredText(name, maximum: maximumSecret) }
    return kind
  }

  private static func credential(of call: Call) throws(PingOneError) -> PushCredential {
    let credential = try call.thing("pushCredential", on: call.tenant.pushCredentials)
    guard credential.application == (try call.application().id) else { throw .notFound }
    return credential
  }
}

extension Tenant {
  /// A credential as the management API shows it: without what is secret about it.
  fileprivate func json(of credential: PushCredential) -> JSON {
    let application = "\(managementURL)/applications/\(credential.application.text)"
    return [
      "_links": .links([
        ("self", "\(application)/pushCredentials/\(credential.id.text)"), ("application", application),
      ]),
      "id": .id(credential.id), "type": .choice(credential.kind), "createdAt": .time(credential.createdAt),
      "updatedAt": .time(credential.updatedAt),
    ]
  }
}
