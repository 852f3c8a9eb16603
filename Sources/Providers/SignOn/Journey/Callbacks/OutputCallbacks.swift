internal import ControlAPI
internal import JSON
internal import Text
internal import WebAddress

// Callbacks that show something, and callbacks that wait.

extension CallbackForm {
  static func textOutput(_ callback: Callback) -> CallbackForm {
    let kind = callback.output("messageType").flatMap { $0.string ?? $0.int.map(String.init) } ?? "0"
    // Scripts are for browsers. mfad neither shows nor runs them, and servers reject them in replies.
    if kind == "4" { return CallbackForm(isReturned: false) }
    let message = callback.output("message")?.string ?? ""
    return CallbackForm(fields: [callback.notice(kinds[kind], .string(DisplayText.lines(message)))])
  }

  private static let kinds = ["1": "Warning", "2": "Error"]

  /// Waits for the link in the server's e-mail, with which the journey continues.
  static func suspension(_ callback: Callback) -> CallbackForm {
    let message = callback.output("message")?.string ?? "An e-mail was sent. Bring the address of its link."
    let field = callback.notice(nil, .string(DisplayText.lines(message)))
    return CallbackForm(fields: [field], wait: .address(browser: nil))
  }

  static func pollingWait(_ callback: Callback) -> CallbackForm {
    let time = callback.output("waitTime").flatMap { $0.int ?? $0.string.flatMap { Int($0) } } ?? 5000
    let field = callback.notice(callback.text("message") ?? "Waiting")
    return CallbackForm(fields: [field], wait: .time(.milliseconds(min(max(time, 200), 600_000))))
  }
}

extension CallbackForm {
  /// Sends the browser to another server; the user then supplies the final address of the browser.
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

// Callbacks for operations that only a phone or a browser supports.

extension Callback {
  /// The message for an operation that this machine does not support.
  static let notHere = "this machine cannot do this"
}

extension CallbackForm {
  /// Reports `Unsupported` to the server if the callback has an input for it; the journey may then go on.
  static func unsupported(_ callback: Callback) -> CallbackForm {
    var field = callback.notice(nil)
    field.collector.message = Callback.notHere
    field.collector.raw = callback.shortenedRaw
    let place = callback.input(endingWith: "clientError")
    return CallbackForm(fields: [field], prefilled: place.map { [$0: "Unsupported"] } ?? [:])
  }

  /// Ends the sign-on: only an application that is registered with the provider can get its token.
  static func identityProvider(_ callback: Callback) throws(SignOnFailure) -> CallbackForm {
    let provider = callback.text("provider") ?? "another provider"
    throw .unsupported("this journey signs on with \(provider), which needs a browser")
  }

  /// Creates a form for an unknown type, with a field for each input and the callback as received.
  static func unknown(_ callback: Callback) throws(SignOnFailure) -> CallbackForm {
    guard callback.inputs.count <= SignOnPage.maximumFields else { throw .tooLarge }
    let prompt = callback.text("prompt")
    var fields = callback.inputs.indices.map { place -> Field in
      var field = callback.field(prompt, input: place)
      let value = callback.inputs[place].value
      if !value.isNull, value != "" { field.collector.value = value }
      return field
    }
    if fields.isEmpty { fields = [callback.notice(prompt)] }
    fields[0].collector.raw = callback.shortenedRaw
    return CallbackForm(fields: fields)
  }
}
