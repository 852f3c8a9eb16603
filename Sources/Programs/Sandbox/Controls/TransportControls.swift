import EventLoop
import HTTPServer
import JSON

/// `/sandbox/transport`: how the services that carry pushes to devices behave, since the sandbox plays them too.
@EventLoop
enum TransportControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/transport", read),
    .administrator("PUT", "/sandbox/transport", set),
  ]

  private static let maximumText = 256
  private static let maximumCarried = 50

  /// What the transports refuse pushes with, and what they were given for devices that do not fetch pushes themselves.
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let carried = tenant.notifications.all.compactMap { notification -> JSON? in
      guard let push = tenant.trustedDevices[notification.device]?.push, push.provider != .poll else {
        return nil
      }
      return .present([
        ("device", .id(notification.device)), ("provider", .choice(push.provider)),
        ("token", push.token.map { .string($0) }), ("push", .string(notification.token)),
      ])
    }
    let newest = carried.suffix(maximumCarried)
    return .json(
      200,
      ["refusal": tenant.transportRefusal.map { .string($0) } ?? .null, "carried": .array(Array(newest))]
    )
  }

  /// With `{"refusal": "Unregistered"}` they refuse every push with that text; null lets them go again.
  private static func set(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let body = try call.body()
    guard body.object["refusal"] != nil else { throw body.missing("refusal") }
    let refusal = try body.text("refusal", maximum: maximumText)
    call.tenant.transportRefusal = refusal
    return .json(200, ["refusal": refusal.map { .string($0) } ?? .null])
  }
}
