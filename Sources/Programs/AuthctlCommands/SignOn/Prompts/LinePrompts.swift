internal import ControlClient
internal import JSON

extension Prompt {
  static let line = Prompt(
    ask: { (field, questions) throws(Leaving) in
      try questions.answer(field, field.labelWithPreset) { TypedAnswer.value(of: $0) }
    }
  )

  static let number = Prompt(
    ask: { (field, questions) throws(Leaving) in
      try questions.answer(field, field.labelWithPreset, wrong: "that is no number") { number($0) }
    },
    value: { _, text in number(text) }
  )

  private static func number(_ text: String) -> JSON? {
    guard let value = try? JSON(parsing: text.replacing(" ", with: "")), let double = value.double,
      double.isFinite
    else { return nil }
    return value
  }
}

extension FormField {
  /// The label with what an empty answer stands for.
  var labelWithPreset: SafeText {
    guard let preset else { return label }
    return "\(label) [\(Describe.value(preset))]"
  }
}
