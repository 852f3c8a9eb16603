internal import JSON

extension Prompt {
  /// A field of a type that is not known here: all of it is shown, and what is typed is sent.
  static let unknown = Prompt(
    notices: { [.text("\($0.label), of the unknown type \($0.type): \(Describe.value($0.json["raw"]))")] },
    ask: { (field, questions) throws(Leaving) in
      try questions.answer(field, field.labelWithPreset) { anything($0) }
    },
    value: { _, text in anything(text) }
  )

  private static func anything(_ text: String) -> JSON {
    (try? JSON(parsing: text)) ?? .string(text)
  }
}
