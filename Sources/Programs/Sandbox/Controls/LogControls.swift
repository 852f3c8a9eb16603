import EventLoop
import HTTPServer
import JSON

/// `/sandbox/logs`: what devices sent for the support, the oldest first.
enum LogControls {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/sandbox/logs", list)]

  @EventLoop
  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let logs = call.tenant.receivedLogs.all.map { log in
      ["supportId": .id(log.id), "device": .id(log.device), "text": .string(log.text)] as JSON
    }
    return .json(200, ["logs": .array(logs)])
  }
}
