internal import JSON

extension Prompt {
  /// What an application wants to know of the person.
  static let consent = Prompt(
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
    ask: { (field, questions) throws(Leaving) in try questions.yesOrNo(field, "do you consent?") },
    value: { _, text in truth(text) }
  )
}
