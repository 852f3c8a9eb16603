internal import ControlAPI
internal import ControlClient
internal import JSON

extension Prompt {
  static let yesOrNo = yesOrNo { $0.label }

  static let terms = yesOrNo(
    notices: { field in
      let terms = field.output("terms")?.string ?? field.collector.value?.string ?? ""
      return Notice.lines(Markup.lines(terms))
    },
    question: { _ in "do you accept these terms?" }
  )

  /// The personal data that an application requests.
  static let consent = yesOrNo(
    notices: { field in
      let message = (field.output("message")?.string).map { Markup.lines($0) } ?? []
      var rows: [[SafeText]] = []
      for (title, name) in [("shared with", "displayName"), ("access", "accessLevel")] as [(SafeText, String)]
      {
        if let text = field.output(name)?.string { rows.append(["  \(title)", Markup.line(text)]) }
      }
      let shared = (field.output("fields")?.array ?? []).map { Describe.value($0) }
      if !shared.isEmpty { rows.append(["  fields", shared.joined(separator: ", ")]) }
      return Notice.lines(message + Columns.lines(rows))
    },
    question: { _ in "do you consent?" }
  )

  private static func yesOrNo(
    notices: @escaping @Sendable (FormField) -> [Notice] = { _ in [] },
    question: @escaping @Sendable (FormField) -> SafeText
  ) -> Prompt {
    Prompt(
      notices: notices,
      ask: { (field, questions) throws(FormExit) in try questions.yesOrNo(field, question(field)) },
      value: { _, text in truth(text) }
    )
  }

  fileprivate static func truth(_ text: String) -> JSON? {
    let words: [String: Bool] = [
      "y": true, "yes": true, "true": true, "n": false, "no": false, "false": false,
    ]
    return words[text.lowercased()].map { .bool($0) }
  }
}

extension Questions {
  /// Asks for yes or no; a required field has no default.
  fileprivate func yesOrNo(_ field: FormField, _ question: SafeText) throws(FormExit) -> JSON? {
    var field = field
    if field.preset?.bool == nil { field.preset = field.isRequired ? nil : false }
    let choice: SafeText =
      switch field.preset?.bool {
      case true?: "Y/n"
      case false?: "y/N"
      case nil: "y/n"
      }
    return try answer(field, "\(question) [\(choice)]", wrong: "yes or no?") { Prompt.truth($0) }
  }
}
