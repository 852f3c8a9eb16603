import EventLoop
import HTTPServer
import JSON

/// What an application may ask its users for beyond OpenID Connect: scopes of the resource "PingOne API".
@EventLoop
enum GrantRoutes {
  private nonisolated static let resources = "\(Tenant.managed)/resources"
  private nonisolated static let all = "\(Tenant.managed)/applications/{application}/grants"

  static let routes: [Route<Endpoint>] =
    .collection(resources, "resource") { _ in [PlatformResource()] }
    + .collection("\(resources)/{resource}/scopes", "scope") { call throws(Refusal) in
      _ = try call.one("resource", of: [PlatformResource()])
      return SelfServiceScope.all
    }
    + .collection(all, "grant") { call throws(Refusal) in grants(of: try call.application()) } + [
      .administrator("POST", all) { call throws(Refusal) in
        guard try call.application().scopeGrant == nil else { throw .taken("resource.id") }
        return try put(call, 201)
      },
      .administrator("PUT", "\(all)/{grant}") { call throws(Refusal) in
        _ = try call.one("grant", of: grants(of: try call.application()))
        return try put(call, 200)
      },
      .administrator("DELETE", "\(all)/{grant}", delete),
    ]

  private static func grants(of application: Application) -> [ScopeGrant] {
    application.scopeGrant.map { [$0] } ?? []
  }

  private static func put(_ call: Call, _ status: Int) throws(Refusal) -> HTTPResponse {
    var application = try call.application()
    let body = try call.body()
    guard try body.reference("resource", to: PlatformResource.self) == PlatformResource().id else {
      throw body.invalid("resource.id", "is not a resource of this environment")
    }
    let scopes = try body.list("scopes")?.map { scope throws(Refusal) in
      let id = ID<SelfServiceScope>(try scope.requiredText("id", maximum: 64))
      guard let known = SelfServiceScope.all.first(where: { $0.id == id }) else {
        throw scope.invalid("id", "is not a scope of the resource")
      }
      return known
    }
    guard let scopes, !scopes.isEmpty else { throw body.missing("scopes") }
    let id = application.scopeGrant?.id ?? .random()
    let grant = ScopeGrant(id: id, application: application.id, scopes: scopes)
    application.scopeGrant = grant
    call.tenant.applications.put(application)
    return call.shown(grant, status)
  }

  private static func delete(_ call: Call) throws(Refusal) -> HTTPResponse {
    var application = try call.application()
    _ = try call.one("grant", of: grants(of: application))
    application.scopeGrant = nil
    call.tenant.applications.put(application)
    return .noContent
  }
}
