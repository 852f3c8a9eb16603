internal import ControlAPI
internal import JSON
internal import WebAddress

extension CallbackForm {
  /// A browser has to go to another server and come back; the address that it ends at is brought.
  static func redirect(_ callback: Callback) throws(SignOnFailure) -> CallbackForm {
    guard callback.output("redirectMethod")?.string ?? "GET" == "GET" else {
      throw .unsupported("this journey sends a form to another server, which needs a browser from the start")
    }
    guard let text = callback.output("redirectUrl")?.string, let url = WebURL(text) else { throw .malformed }
    guard url.origin.scheme == .https || (callback.context.allowsLoopbackHTTP && url.origin.isLoopback) else {
      throw .unsupported("this journey sends the browser to another server without encryption")
    }
    let field = callback.notice("Continue in a browser", .string(url.text))
    return CallbackForm(fields: [field], wait: .address(browser: url.text))
  }
}
