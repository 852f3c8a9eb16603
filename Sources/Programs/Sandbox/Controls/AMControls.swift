import EventLoop
import HTTPServer
import JSON

/// What AM's push service is like, and what it gave its delegate for delivery: `/sandbox/am`.
@EventLoop
enum AMControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/am", settings), .administrator("PUT", "/sandbox/am", setSettings),
    .administrator("GET", "/sandbox/am/messages", messages),
  ]

  private static func settings(_ call: Call) -> HTTPResponse {
    .json(200, .object(AMSettings.fields.json(of: call.tenant.amSettings)))
  }

  private static func setSettings(_ call: Call) throws(Refusal) -> HTTPResponse {
    var changed = call.tenant.amSettings
    try AMSettings.fields.update(&changed, from: try call.body())
    call.tenant.amSettings = changed
    return settings(call)
  }

  private static func messages(_ call: Call) -> HTTPResponse {
    .json(["messages": call.tenant.pushMessages.all.map(\.json)])
  }
}
