internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Text

/// What a person answered before in this sign-on, which is offered where the same is asked again.
///
/// Whoever errs in one field of a form types that one again, and who goes from one page to another and back finds what
/// they said. Secrets are never kept, nor what counts only once: a wrong code must not be a keystroke away.
struct LastAnswers {
  /// The steps of a journey all have the same keys; what is asked, the label tells.
  private struct Question: Hashable {
    let key, label: String

    init(_ field: FormField) { (key, label) = (field.key, field.label.text) }
  }

  private var values: [Question: JSON] = [:]

  mutating func remember(_ value: JSON?, to field: FormField) {
    values[Question(field)] = value.flatMap { field.takesCode || Self.isCode($0, field) ? nil : $0 }
  }

  /// What to offer for a field: of a step that comes again any answer; of another only a text, since what was agreed to
  /// or chosen there may be something else here.
  func offer(for field: FormField, again: Bool) -> JSON? {
    guard let value = values[Question(field)] else { return nil }
    if again { return value }
    return field.options.isEmpty && value.string != nil ? value : nil
  }

  /// Whether an answer is a passcode, by what it is: labels come in any language.
  private static func isCode(_ value: JSON, _ field: FormField) -> Bool {
    if OwnPasscode(value: value) != nil { return true }
    guard field.options.isEmpty, let text = value.string else { return false }
    let characters = text.utf8.filter { $0 != 0x20 && $0 != 0x2D }
    return (4...10).contains(characters.count) && characters.allSatisfy(\.isASCIIDigit)
  }
}

extension FormField {
  /// Whether what it wants is a secret or counts once, by what it is called.
  fileprivate var takesCode: Bool {
    guard !isSecret else { return true }
    let texts = ["StringAttributeInputCallback", "TextCollector", "TextInputCallback"]
    guard options.isEmpty, texts.contains(type) else { return false }
    let names = [key, label.text].map { $0.lowercased() }
    let words = names.flatMap { $0.split { !$0.isLetter && !$0.isNumber } }
    return names.contains { name in ["code", "password", "passwort"].contains { name.contains($0) } }
      || words.contains { ["otp", "totp", "pin", "token", "number"].contains($0) }
  }
}
