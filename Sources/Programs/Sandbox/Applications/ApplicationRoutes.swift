import EventLoop
import HTTPServer
import JSON
import WebAddress

@EventLoop
enum ApplicationRoutes {
  static let routes: [Route<Endpoint>] =
    .collection("\(Tenant.managed)/applications", "application") { $0.tenant.applications.all } + [
      .administrator("POST", "\(Tenant.managed)/applications", create),
      .administrator("PUT", "\(Tenant.managed)/applications/{application}", update),
      .administrator("DELETE", "\(Tenant.managed)/applications/{application}", delete),
    ]

  private static let maximumRedirectURIs = 20

  private static func create(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    guard try body.requiredText("type") == "NATIVE_APP" else {
      throw body.invalid("type", "must be NATIVE_APP in the sandbox")
    }
    let (name, now) = (try body.requiredText("name", maximum: 256), tenant.clock.now)
    var application = Application(name: name, createdAt: now, updatedAt: now)
    let mobile = try body.members("mobile") ?? Members()
    application.bundleID = try mobile.text("bundleId", maximum: 256)
    application.packageName = try mobile.text("packageName", maximum: 256)
    for (name, appID) in [("bundleId", application.bundleID), ("packageName", application.packageName)] {
      guard let appID, tenant.applications.all.contains(where: { $0.isApp(appID) }) else { continue }
      throw .taken(mobile.target(name))
    }
    try take(body, to: &application)
    guard tenant.applications.all.count < Application.maximumCount else { throw .full("applications") }
    tenant.applications.put(application)
    return call.shown(application, 201)
  }

  private static func update(_ call: Call) throws(Refusal) -> HTTPResponse {
    var application = try call.application()
    let body = try call.body()
    if let mobile = try body.members("mobile") {
      for (name, value) in [("bundleId", application.bundleID), ("packageName", application.packageName)] {
        let wanted = try mobile.text(name, maximum: 256)
        guard wanted == nil || wanted == value else { throw mobile.invalid(name, "cannot be changed") }
      }
    }
    try take(body, to: &application)
    application.updatedAt = call.tenant.clock.now
    call.tenant.applications.put(application)
    return call.shown(application)
  }

  private static func take(_ body: Members, to application: inout Application) throws(Refusal) {
    try Application.fields.update(&application, from: body)
    if application.settings.uriPrefix == "" { application.settings.uriPrefix = nil }
    let settings = application.settings
    guard settings.integrityDetection == .disabled || settings.integrityCache != nil else {
      throw .invalid("mobile.integrityDetection.cacheDuration", "must be given", code: "REQUIRED_VALUE")
    }
    guard let value = body.value("redirectUris") else { return }
    let texts = value.array?.map(\.string) ?? [nil]
    application.redirectURIs = texts.compactMap { text in text.flatMap { WebURL($0) } }
    guard application.redirectURIs.count == texts.count, texts.count <= maximumRedirectURIs else {
      throw body.invalid("redirectUris", "must be at most \(maximumRedirectURIs) addresses")
    }
  }

  private static func delete(_ call: Call) throws(Refusal) -> HTTPResponse {
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
