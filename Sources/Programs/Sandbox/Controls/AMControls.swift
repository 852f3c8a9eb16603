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

  private static func setSettings(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var changed = call.tenant.amSettings
    try AMSettings.fields.update(&changed, from: try call.body())
    call.tenant.amSettings = changed
    return settings(call)
  }

  private static func messages(_ call: Call) -> HTTPResponse {
    .json(["messages": call.tenant.pushMessages.all.map(\.json)])
  }
}

/// What tests set of AM's push service.
struct AMSettings: Codable, Sendable {
  /// 8.0.2 takes a wrong number, and the journey fails later; 8.1 refuses it, and another can be sent.
  enum Version: String, CaseIterable, Codable, Shown {
    case before = "8.0.2"
    case since = "8.1"
  }

  private(set) var hasPushService = true
  private(set) var version = Version.since
  /// How long a message can be answered.
  private(set) var messageSeconds = 120
  /// Whether a message says where the sign-on comes from.
  private(set) var sendsContext = false
  /// Whether messages are posted to any address that a device gave, not only to this machine.
  private(set) var deliversAnywhere = false

  static let fields: [ResourceField<AMSettings>] = [
    ResourceField("pushService", \.hasPushService, .flag), ResourceField("version", \.version, .choice),
    ResourceField("messageDuration", \.messageSeconds, .int(1...3600)),
    ResourceField("contextInfo", \.sendsContext, .flag),
    ResourceField("deliverAnywhere", \.deliversAnywhere, .flag),
  ]
}
