import EventLoop
import HTTPServer
import JSON

/// `/sandbox/oidc`: how long tokens last, how they are refreshed, and the keys that sign them.
@EventLoop
enum OIDCControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/oidc", read),
    .administrator("PUT", "/sandbox/oidc", set),
    .administrator("POST", "/sandbox/oidc/keys", rotateKey),
    .administrator("GET", "/sandbox/oidc/sessions", sessions),
  ]

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.oidcSettings.json)
  }

  private static func set(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var settings = call.tenant.oidcSettings
    try settings.update(from: try call.body())
    call.tenant.oidcSettings = settings
    return .json(200, settings.json)
  }

  /// The sign-ons whose tokens are good, each with its user.
  private static func sessions(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let families = call.tenant.tokens.families.all.map {
      ["id": .id($0.id), "user": .reference($0.user)] as JSON
    }
    return .json(200, ["sessions": .array(families)])
  }

  /// Another key signs from now on; with `{"keepOld": true}` the old one stays in the set.
  private static func rotateKey(_ call: Call) throws(PingOneError) -> HTTPResponse {
    try call.tenant.rotateTokenKey(keepingOld: try call.body().bool("keepOld") ?? false)
    return .json(201, try call.tenant.tokenKeySet())
  }
}
