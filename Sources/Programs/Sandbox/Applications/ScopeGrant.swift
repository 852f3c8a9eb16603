import JSON

/// The platform's own interface, as a resource that applications are granted scopes of.
struct PlatformResource: Resource {
  let id = ID<PlatformResource>("pingone-api")

  func json(in tenant: Tenant) -> JSON {
    .of([
      "_links": JSON.links(["self": "\(tenant.managementURL)/resources/\(id.text)"]), "id": id,
      "environment": tenant.environment.id.reference, "name": "PingOne API", "type": "PINGONE_API",
      "audience": tenant.url,
    ])
  }
}

/// A scope that lets users see or change their own devices.
struct SelfServiceScope: Resource, Codable {
  private let right: String

  static let all = ["create", "read", "update", "delete"].map { SelfServiceScope(right: $0) }

  var id: ID<SelfServiceScope> { ID("\(right)-device") }
  var name: String { "p1:\(right):device" }

  func json(in tenant: Tenant) -> JSON {
    .of(["id": id, "name": name, "resource": PlatformResource().id.reference])
  }
}

/// The scopes of the platform's own interface that an application was granted.
struct ScopeGrant: Resource, Codable {
  let id: ID<ScopeGrant>
  let application: ID<Application>
  let scopes: [SelfServiceScope]

  func json(in tenant: Tenant) -> JSON {
    .of([
      "id": id, "environment": tenant.environment.id.reference, "application": application.reference,
      "resource": PlatformResource().id.reference, "scopes": scopes.map(\.id.reference),
    ])
  }
}
