internal import ControlAPI
internal import JSON

// Callbacks that ask for one text.

extension CallbackForm {
  static func name(_ callback: Callback) -> CallbackForm {
    var field = callback.question(callback.text("prompt") ?? "User Name", form: .text)
    field.collector.value = callback.given
    return CallbackForm(fields: [field])
  }

  static func password(_ callback: Callback) -> CallbackForm {
    var field = callback.question(callback.text("prompt") ?? "Password", form: .text)
    field.collector.isSecret = true
    return CallbackForm(fields: [field])
  }

  static func textInput(_ callback: Callback) -> CallbackForm {
    var field = callback.question(callback.text("prompt"), form: .text)
    field.standing = callback.given ?? callback.output("defaultText").flatMap(\.nonEmptyText)
    field.collector.value = field.standing
    return CallbackForm(fields: [field])
  }

  /// Nothing here shows a captcha, but a program may know how to solve it.
  static func captcha(_ callback: Callback) -> CallbackForm {
    var field = callback.question("Captcha", form: .text)
    field.collector.raw = callback.shortenedRaw
    return CallbackForm(fields: [field])
  }
}

extension Callback {
  /// The text that the server filled in itself.
  var given: JSON? { mainInput.flatMap { inputs[$0].value.nonEmptyText } }
}

extension JSON {
  /// The value, if it is a text that is not empty.
  var nonEmptyText: JSON? { string.flatMap { $0.isEmpty ? nil : self } }
}
