internal import JSON

extension Prompt {
  /// A line of text.
  static let line = Prompt(
    ask: { (field, questions) throws(Leaving) in
      try questions.answer(field, field.labelWithPreset) { .string($0) }
    }
  )
}

extension Collector {
  /// The label with what an empty answer stands for.
  var labelWithPreset: SafeText {
    guard let preset else { return label }
    return "\(label) [\(Describe.value(preset))]"
  }
}
