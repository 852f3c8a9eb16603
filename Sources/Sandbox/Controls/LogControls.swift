import EventLoop
import HTTPServer
import JSON

/// `/sandbox/logs`: what devices sent for the support, the oldest first.
enum LogControls {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/sandbox/logs", list)]

  @EventLoop
  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let logs = call.tenant.receivedLogs.map { log in
      ["supportId": .string(log.supportID), "device": .id(log.device), "text": .string(log.text)] as JSON
    }
    return .json(200, ["logs": .array(logs)])
  }
}

/// A report that a device sent for the support.
struct ReceivedLog: Sendable {
  let supportID: String
  let device: ID<TrustedDevice>
  let text: String

  /// How many are kept, the newest.
  static let mostKept = 20
}
