internal import ControlClient
internal import JSON

extension Prompt {
  /// A question for later, of a list or of the person's own, or the answer to it, which is a field by itself.
  static let question = Prompt(
    notices: { $0.optionList.map { .row($0) } },
    ask: { (field, questions) throws(Leaving) in
      if field.options.isEmpty {
        return try questions.answer(field, field.label, hidden: field.isSecret) { .string($0) }
      }
      let prompt: SafeText =
        field.isFree ? "\(field.label) (a number, or a question of your own)" : field.label
      return try questions.answer(field, prompt, wrong: "a number of the list, please") { field.question($0) }
    },
    value: { field, text in field.question(text) }
  )
}

extension FormField {
  /// Whether a question that is not in the list is taken; older servers do not say it.
  fileprivate var isFree: Bool { output("allowUserDefinedQuestions") != false }

  fileprivate func question(_ text: String) -> JSON? { option(text) ?? (isFree ? .string(text) : nil) }
}
