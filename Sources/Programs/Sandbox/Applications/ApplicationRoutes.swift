import EventLoop
import HTTPServer
import JSON
import WebAddress

/// `/v1/environments/{environment}/applications`, of which the sandbox has native ones.
@EventLoop
enum ApplicationRoutes {
  private static let all = "/v1/environments/{environment}/applications"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", all, list),
    .administrator("POST", all, create),
    .administrator("GET", "\(all)/{application}", read),
    .administrator("PUT", "\(all)/{application}", update),
    .administrator("DELETE", "\(all)/{application}", delete),
  ]

  private static let maximumName = 256

  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let address = "\(tenant.managementURL)/applications"
    return try call.page("applications", at: address, of: tenant.applications.all) { tenant.json(of: $0) }
  }

  private static func create(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let body = try call.body()
    guard try body.requiredText("type") == "NATIVE_APP" else {
      throw body.invalid("type", "must be NATIVE_APP in the sandbox")
    }
    let mobile = try body.members("mobile") ?? Members()
    var application = Application(
      id: .random(),
      name: try body.requiredText("name", maximum: maximumName),
      bundleID: try mobile.text("bundleId", maximum: maximumName),
      packageName: try mobile.text("packageName", maximum: maximumName),
      createdAt: tenant.clock.now,
      updatedAt: tenant.clock.now
    )
    for (name, appID) in [("bundleId", application.bundleID), ("packageName", application.packageName)] {
      guard let appID, tenant.applications.all.contains(where: { $0.isApp(appID) }) else { continue }
      throw mobile.invalid(name, "is already in use", code: "UNIQUENESS_VIOLATION")
    }
    try application.settings.update(from: mobile)
    application.redirectURIs = try redirectURIs(in: body) ?? []
    guard tenant.applications.all.count < Application.maximumCount else {
      throw .full("applications")
    }
    tenant.applications.put(application)
    return .json(201, tenant.json(of: application))
  }

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try call.application()))
  }

  /// What an update leaves out stays as it is.
  private static func update(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var application = try call.application()
    let body = try call.body()
    application.name = try body.text("name", maximum: maximumName) ?? application.name
    if let mobile = try body.members("mobile") {
      for (name, value) in [("bundleId", application.bundleID), ("packageName", application.packageName)] {
        let wanted = try mobile.text(name, maximum: maximumName)
        guard wanted == nil || wanted == value else { throw mobile.invalid(name, "cannot be changed") }
      }
      try application.settings.update(from: mobile)
    }
    application.redirectURIs = try redirectURIs(in: body) ?? application.redirectURIs
    application.updatedAt = call.tenant.clock.now
    call.tenant.applications.put(application)
    return .json(200, call.tenant.json(of: application))
  }

  private static func redirectURIs(in body: Members) throws(PingOneError) -> [WebURL]? {
    guard let value = body.value("redirectUris") else { return nil }
    let texts = value.array?.map(\.string) ?? [nil]
    let addresses = texts.compactMap { text in text.flatMap { WebURL($0) } }
    guard addresses.count == texts.count, addresses.count <= Application.maximumRedirectURIs else {
      throw body.invalid("redirectUris", "must be at most \(Application.maximumRedirectURIs) addresses")
    }
    return addresses
  }

  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let application = try call.application()
    guard application.id != call.tenant.application.id else {
      throw .invalidRequest("The sandbox keeps the application that it began with.")
    }
    for device in call.tenant.trustedDevices.all where device.application == application.id {
      call.tenant.forget(device)
    }
    call.tenant.pushCredentials.removeAll { $0.application == application.id }
    call.tenant.applications.remove(application)
    return .noContent
  }
}

extension Call {
  /// The application whose identifier is in the path.
  func application() throws(PingOneError) -> Application {
    try thing("application", on: tenant.applications)
  }
}

extension Tenant {
  /// The address of an application in the management API.
  func url(of application: Application) -> String { "\(managementURL)/applications/\(application.id.text)" }

  /// An application as the management API shows it.
  fileprivate func json(of application: Application) -> JSON {
    var mobile: JSONObject = [:]
    mobile["bundleId"] = application.bundleID.map { .string($0) }
    mobile["packageName"] = application.packageName.map { .string($0) }
    for member in application.settings.json.object?.members ?? [] { mobile[member.name] = member.value }
    let address = url(of: application)
    return .present([
      (
        "_links",
        .links([
          ("self", address), ("environment", managementURL),
          ("pushCredentials", "\(address)/pushCredentials"),
        ])
      ),
      ("id", .id(application.id)), ("environment", .reference(environment.id)),
      ("name", .string(application.name)), ("enabled", true), ("type", "NATIVE_APP"),
      ("protocol", "OPENID_CONNECT"), ("grantTypes", ["AUTHORIZATION_CODE", "REFRESH_TOKEN", "DEVICE_CODE"]),
      ("responseTypes", ["CODE"]), ("redirectUris", .strings(application.redirectURIs.map(\.text))),
      ("tokenEndpointAuthMethod", "NONE"), ("pkceEnforcement", "S256_REQUIRED"),
      ("mobile", .object(mobile)), ("createdAt", .time(application.createdAt)),
      ("updatedAt", .time(application.updatedAt)),
    ])
  }
}
