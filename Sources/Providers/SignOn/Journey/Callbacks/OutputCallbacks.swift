internal import ControlAPI
internal import JSON
internal import Text

// Callbacks that show something, and those that wait.

extension CallbackForm {
  static func textOutput(_ callback: Callback) -> CallbackForm {
    let kind = callback.output("messageType").flatMap { $0.string ?? $0.int.map(String.init) } ?? "0"
    // Scripts are for browsers: they are neither shown nor run, and a server refuses to have them back.
    if kind == "4" { return CallbackForm(isReturned: false) }
    let message = callback.output("message")?.string ?? ""
    return CallbackForm(fields: [callback.notice(kinds[kind], .string(DisplayText.lines(message)))])
  }

  private static let kinds = ["1": "Warning", "2": "Error"]

  /// The server goes on with what its e-mail leads to.
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
