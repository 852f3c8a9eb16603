internal import ControlAPI
internal import JSON
internal import Text

// Callbacks that ask for an agreement.

extension CallbackForm {
  static func terms(_ callback: Callback) -> CallbackForm {
    let version = callback.text("version").map { " (version \($0))" } ?? ""
    let field = agreement(callback, "I accept the terms\(version)")
    guard field.collector.raw == nil, let terms = callback.output("terms")?.string else {
      return CallbackForm(fields: [field])
    }
    // Terms that are too long to be handed on as they came are still shown before they are asked about.
    var text = Collector(key: callback.placeKey, type: "TextOutputCallback")
    text.value = .string(DisplayText.lines(terms))
    return CallbackForm(fields: [Field(collector: text), field])
  }

  static func consent(_ callback: Callback) -> CallbackForm {
    var field = agreement(callback, callback.text("message") ?? callback.text("displayName"))
    field.collector.isRequired = callback.output("isRequired") == true
    return CallbackForm(fields: [field])
  }

  /// Nobody agrees who has not said so.
  private static func agreement(_ callback: Callback, _ label: String?) -> Field {
    var field = callback.question(label, form: .truth)
    (field.collector.value, field.standing) = (false, false)
    field.collector.raw = callback.raw
    return field
  }
}
