internal import ControlAPI
internal import ControlClient
internal import JSON

extension Prompt {
  /// A field of a type that is not known here: all of it is shown, and what is typed is sent.
  static let unknown = Prompt(
    notices: { field in
      guard let raw = field.collector.raw else { return [] }
      let type = field.raw("type")?.string ?? field.type
      return [.text("\(field.label), of the unknown type \(type): \(SafeText(raw))")]
    },
    ask: { (field, questions) throws(Leaving) in
      try questions.answer(field, field.labelWithPreset) { anything($0) }
    },
    value: { _, text in anything(text) }
  )

  private static func anything(_ text: String) -> JSON {
    (try? JSON(parsing: text)) ?? .string(text)
  }
}
