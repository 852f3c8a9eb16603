import EventLoop
import HTTPServer
import JSON

/// `/sandbox/transport`: how the services that carry pushes to devices behave, since the sandbox plays them too.
enum TransportControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("PUT", "/sandbox/transport", set)
  ]

  private static let maximumText = 256

  /// With `{"refusal": "Unregistered"}` they refuse every push with that text; null lets them go again.
  @EventLoop
  private static func set(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let body = try call.body()
    guard body.object["refusal"] != nil else { throw body.missing("refusal") }
    let refusal = try body.text("refusal", maximum: maximumText)
    call.tenant.transportRefusal = refusal
    return .json(200, ["refusal": refusal.map { .string($0) } ?? .null])
  }
}
