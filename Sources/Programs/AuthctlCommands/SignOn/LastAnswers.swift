internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Text

/// The user's earlier answers in this sign-on, which become defaults when the same question is asked again.
///
/// After an error in one field the user retypes only that field, and a page to which the user returns still
/// has its answers. Answers that look like secrets or one-time codes are not kept, so that Enter does not
/// submit a wrong code again.
struct LastAnswers {
  /// All steps of a journey have the same keys; the label distinguishes the questions.
  private struct Question: Hashable {
    let key, label: String

    init(_ field: FormField) { (key, label) = (field.key, field.label.text) }
  }

  private var values: [Question: JSON] = [:]

  mutating func remember(_ value: JSON?, to field: FormField) {
    values[Question(field)] = value.flatMap { field.takesCode || Self.isCode($0, field) ? nil : $0 }
  }

  /// Returns the default for a field.
  ///
  /// In a repeated step (`again`), every earlier answer is a default. In another step only a text is one,
  /// because a choice or consent may mean something else there.
  func offer(for field: FormField, again: Bool) -> JSON? {
    guard let value = values[Question(field)] else { return nil }
    if again { return value }
    return field.options.isEmpty && value.string != nil ? value : nil
  }

  /// True if the answer looks like a passcode.
  ///
  /// The label does not help, because it may be in any language.
  private static func isCode(_ value: JSON, _ field: FormField) -> Bool {
    if OwnPasscode(value: value) != nil { return true }
    guard field.options.isEmpty, let text = value.string else { return false }
    let characters = text.utf8.filter { $0 != 0x20 && $0 != 0x2D }
    return (4...10).contains(characters.count) && characters.allSatisfy(\.isASCIIDigit)
  }
}

extension FormField {
  /// True if, according to its key and label, the field asks for a secret or a one-time code.
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
