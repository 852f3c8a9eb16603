internal import ControlAPI
internal import JSON

/// TEXT: a line of text.
struct TextField: InputField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = description.collector("TextCollector")
    (collector.value, collector.validation) = (standing, description.validation)
    return collector
  }

  var standing: JSON? { initialText(description) }

  func value(of input: JSON) throws(InvalidInput) -> JSON? { try text(input) }
}

/// PASSWORD and PASSWORD_VERIFY: a text that is not shown, and sent once however often it was asked for.
struct PasswordField: InputField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = description.collector("PasswordCollector")
    (collector.isSecret, collector.validation) = (true, description.validation)
    collector.raw = raw
    return collector
  }

  var standing: JSON? { initialText(description) }

  func value(of input: JSON) throws(InvalidInput) -> JSON? { try text(input) }

  /// Whether this chooses a new password.
  private var isNew: Bool { description.type == "PASSWORD_VERIFY" || description.json["verify"] == true }

  /// For a new password its rules, which are hints: the server has the word.
  private var raw: JSON? {
    guard isNew else { return nil }
    guard var raw = description.raw?.object else { return nil }
    if raw["passwordPolicy"] == nil { raw["passwordPolicy"] = description.passwordPolicy }
    return JSON.object(raw).bounded ?? description.raw
  }
}

/// The text that a form begins with.
private func initialText(_ description: FieldDescription) -> JSON? {
  guard let text = description.initial?.string, !text.isEmpty else { return nil }
  return .string(text)
}

/// A text as it is sent.
private func text(_ input: JSON) throws(InvalidInput) -> JSON? {
  guard let text = input.string else { throw .notText }
  return text.isEmpty ? nil : input
}
