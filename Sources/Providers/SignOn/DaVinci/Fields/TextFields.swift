internal import ControlAPI
internal import JSON
internal import Text

// Fields for one text or one boolean.

extension FieldForm {
  /// TEXT: a line of text.
  static func text(_ field: DaVinciField) -> FieldForm {
    var collector = field.collector("TextCollector")
    (collector.value, collector.validation) = (field.initialText, field.validation)
    return FieldForm(field, collector, Input(standing: field.initialText, value: textValue))
  }

  /// PASSWORD and PASSWORD_VERIFY: a hidden text.
  ///
  /// The reply contains it once, even if the user types it twice for verification.
  static func password(_ field: DaVinciField) -> FieldForm {
    var collector = field.collector("PasswordCollector")
    (collector.isSecret, collector.validation) = (true, field.validation)
    collector.raw = field.newPasswordRules
    return FieldForm(field, collector, Input(standing: field.initialText, value: textValue))
  }

  /// BOOLEAN and SINGLE_CHECKBOX: a boolean, which is always sent.
  ///
  /// If the field is required, it must be `true`.
  static func consent(_ field: DaVinciField) -> FieldForm {
    let message = field.text("errorMessage", maximum: DisplayText.bodyLength)
    var collector = field.collector("BooleanCollector")
    if let text = field.richText { (collector.label, collector.raw) = (text, field.raw) }
    collector.value = .bool(field.initial.flatMap(flag) ?? false)
    collector.validation = message.map { Collector.Validation(pattern: nil, message: $0) }
    var input = Input(standing: collector.value) { input throws(InvalidInput) in
      guard let flag = flag(input) else { throw InvalidInput("this has to be yes or no") }
      return .bool(flag)
    }
    (input.isConsent, input.missing) = (true, message.map { InvalidInput($0) } ?? .missing)
    return FieldForm(field, collector, input)
  }

  private static func flag(_ json: JSON) -> Bool? {
    json.bool ?? json.string.flatMap { ["true": true, "false": false][$0] }
  }

  /// Returns the text to send; `nil` if it is empty.
  private static func textValue(_ input: JSON) throws(InvalidInput) -> JSON? {
    guard let text = input.string else { throw .notText }
    return text.isEmpty ? nil : input
  }
}

extension DaVinciField {
  /// The form's initial text.
  fileprivate var initialText: JSON? {
    guard let text = initial?.string, !text.isEmpty else { return nil }
    return .string(text)
  }

  /// Rules for a new password, as hints for clients; only the server enforces them.
  ///
  /// `nil` if the user does not choose a new password.
  fileprivate var newPasswordRules: JSON? {
    guard type == "PASSWORD_VERIFY" || json["verify"] == true, var raw = raw?.object else { return nil }
    if raw["passwordPolicy"] == nil { raw["passwordPolicy"] = passwordPolicy }
    return JSON.object(raw).bounded ?? self.raw
  }
}

// Fields that accept any value.

extension FieldForm {
  /// METADATA: data from the flow's author for the client program, which may answer with data.
  static func metadata(_ field: DaVinciField) -> FieldForm {
    var collector = field.collector("MetadataCollector")
    (collector.value, collector.raw) = (field.json["payload"]?.bounded, field.raw)
    // The payload is only shown; it is not sent by default.
    return FieldForm(field, collector, Input(standing: nil, actionKey: field.key, value: structured))
  }

  /// Creates a field of an unknown kind: it is shown as received, and the client's value is sent for it.
  static func unknown(_ field: DaVinciField) -> FieldForm {
    var collector = field.collector("UnknownCollector")
    (collector.value, collector.raw) = (field.initial?.bounded, field.raw)
    return FieldForm(field, collector, Input(standing: collector.value, value: structured))
  }

  /// Returns any value; text that contains a JSON object or list is parsed.
  private static func structured(_ input: JSON) -> JSON? {
    guard let text = input.string else { return input.isNull ? nil : input }
    if text.isEmpty { return nil }
    guard text.hasPrefix("{") || text.hasPrefix("["), let value = try? JSON(parsing: text) else {
      return input
    }
    return value
  }
}
