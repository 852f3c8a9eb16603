import EventLoop
import HTTPServer
import JSON

/// `/sandbox/am`: settings of AM's push service, and the messages that its delivery delegate got.
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

/// Settings of AM's push service, for tests.
struct AMSettings: Codable, Sendable {
  /// Version of AM.
  ///
  /// AM 8.0.2 accepts a wrong number, and the journey fails later. AM 8.1 rejects the number, and the device
  /// can send another one.
  enum Version: String, CaseIterable, Codable, Shown {
    case before = "8.0.2"
    case since = "8.1"
  }

  private(set) var hasPushService = true
  private(set) var version = Version.since
  /// Lifetime of a message in seconds.
  private(set) var messageSeconds = 120
  /// True if a message contains the location and browser of the sign-on.
  private(set) var sendsContext = false
  /// True if messages are posted to any URL that a device gave, false if only to this machine.
  private(set) var deliversAnywhere = false

  static let fields: [ResourceField<AMSettings>] = [
    ResourceField("pushService", \.hasPushService, .flag), ResourceField("version", \.version, .choice),
    ResourceField("messageDuration", \.messageSeconds, .int(1...3600)),
    ResourceField("contextInfo", \.sendsContext, .flag),
    ResourceField("deliverAnywhere", \.deliversAnywhere, .flag),
  ]
}
