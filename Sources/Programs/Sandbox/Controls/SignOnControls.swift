import EventLoop
import HTTPServer
import JSON

/// `/sandbox/signOnPolicies`, `/sandbox/users/{user}` and `/sandbox/messages`: settings and messages of
/// sign-ons.
///
/// `/sandbox/oidc`: token lifetimes, token refresh, and signing keys.
@EventLoop
enum SignOnControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/signOnPolicies", policies),
    .administrator("PUT", "/sandbox/signOnPolicies/{policy}", setPolicy),
    .administrator("GET", "/sandbox/users/{user}", user),
    .administrator("PUT", "/sandbox/users/{user}", setUser),
    .administrator("GET", "/sandbox/messages", messages), .administrator("GET", "/sandbox/oidc", settings),
    .administrator("PUT", "/sandbox/oidc", setSettings),
    .administrator("POST", "/sandbox/oidc/keys", rotateKey),
    .administrator("GET", "/sandbox/oidc/sessions", sessions),
  ]

  private static func policies(_ call: Call) -> HTTPResponse {
    .json(200, ["policies": .array(call.tenant.signOnPolicies.all.map { $0.json(in: call.tenant) })])
  }

  /// Creates or changes a policy; with `"default": true`, requests without a policy use it.
  private static func setPolicy(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    let id = call.id("policy", of: SignOnPolicy.self)
    var policy = tenant.signOnPolicies[id] ?? SignOnPolicy(id: id, steps: SignOnPolicy.singleFactor.steps)
    try policy.update(from: body)
    guard tenant.signOnPolicies[id] != nil || tenant.signOnPolicies.all.count < SignOnPolicy.maximumCount
    else { throw .full("policies") }
    tenant.signOnPolicies.put(policy, isStandard: try body.bool("default") ?? false)
    return call.shown(policy)
  }

  private static func user(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    .json(200, .object(PlatformUser.accountFields.json(of: try call.user())))
  }

  private static func setUser(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var changed = try call.user()
    try PlatformUser.accountFields.update(&changed, from: try call.body())
    call.tenant.users.put(changed)
    return try user(call)
  }

  private static func messages(_ call: Call) -> HTTPResponse {
    let tenant = call.tenant
    let messages = tenant.messages.all.map { message in
      JSON.of([
        "id": message.id, "type": message.kind, "user": message.user,
        "username": message.user.flatMap { tenant.users[$0]?.username }, "to": message.recipient,
        "flow": message.flow, "code": message.code, "suspendedId": message.suspendedID,
        "link": message.suspendedID.map { "\(tenant.url)/am/XUI/?suspendedId=\($0)" },
      ])
    }
    return .json(200, ["messages": .array(messages)])
  }

  private static func settings(_ call: Call) -> HTTPResponse {
    .json(200, .object(OIDCSettings.fields.json(of: call.tenant.oidcSettings)))
  }

  private static func setSettings(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var changed = call.tenant.oidcSettings
    try OIDCSettings.fields.update(&changed, from: try call.body())
    call.tenant.oidcSettings = changed
    return settings(call)
  }

  private static func sessions(_ call: Call) -> HTTPResponse {
    let families = call.tenant.families.all.map { JSON.of(["id": $0.id, "user": $0.session.user.reference]) }
    return .json(200, ["sessions": .array(families)])
  }

  /// Creates a new signing key; with `{"keepOld": true}` the old key stays in the key set.
  private static func rotateKey(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    try call.tenant.rotateTokenKey(keepingOld: try call.body().bool("keepOld") ?? false)
    return .json(201, try call.tenant.tokenKeySet())
  }
}

/// Settings of the provider's tokens and of the device authorization grant, for tests.
struct OIDCSettings: Codable, Sendable {
  private(set) var accessTokenSeconds = 3600
  private(set) var refreshTokenSeconds = 30 * 24 * 3600
  /// True if a refresh returns a new refresh token.
  ///
  /// If false, the old token stays valid and the response contains none.
  private(set) var rotatesRefreshTokens = true
  private(set) var deviceCodeSeconds = 600
  private(set) var deviceInterval = 5

  /// True if a scope that the application was not granted is an error; if false, the scope is omitted.
  private(set) var refusesUngrantedScopes = false
  /// True if the device authorization grant can grant self-service scopes.
  private(set) var managesByDeviceGrant = false

  private static let seconds = 1...(366 * 24 * 3600)

  static let fields: [ResourceField<OIDCSettings>] = [
    ResourceField("accessTokenSeconds", \.accessTokenSeconds, .int(seconds)),
    ResourceField("refreshTokenSeconds", \.refreshTokenSeconds, .int(seconds)),
    ResourceField("refreshTokenRotation", \.rotatesRefreshTokens, .flag),
    ResourceField("deviceCodeSeconds", \.deviceCodeSeconds, .int(seconds)),
    ResourceField("deviceInterval", \.deviceInterval, .int(1...60)),
    ResourceField("refuseUngrantedScopes", \.refusesUngrantedScopes, .flag),
    ResourceField("deviceGrantSelfService", \.managesByDeviceGrant, .flag),
  ]
}
