import CurlClient
import EventLoop
import JSON
import WebAddress

/// AM's delegate for delivery, as its administrators can write one: it posts to the address that a device gave.
@EventLoop
final class PushDelegate {
  private let client = CurlClient(CurlSettings(allowsLoopbackHTTP: true, userAgent: "pingone-sandbox"))

  /// Whoever does not take a message does not get it, as with the services that carry pushes.
  func deliver(_ message: PushMessage, anywhere isAnywhere: Bool) {
    guard let address = WebURL(message.deviceID), address.origin.isLoopback || isAnywhere else { return }
    let body = JSON.of(["messageId": message.id, "message": message.token]).serialized
    let request = HTTPRequest(
      "POST",
      address,
      headers: [("Content-Type", "application/json")],
      body: body,
      timeout: .seconds(10)
    )
    _ = try? client.start(request) { _ in }
  }
}
