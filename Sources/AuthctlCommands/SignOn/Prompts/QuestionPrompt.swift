internal import JSON

extension Prompt {
  /// A question for later, of a list or of the person's own, and the answer to it.
  static let question = Prompt(
    notices: { Notice.lines($0.optionList()) },
    ask: { (field, questions) throws(Leaving) in
      let isFree = field.options.isEmpty || field.output("allowUserDefinedQuestions") == true
      let prompt: SafeText = isFree ? "\(field.label) (a number, or a question of your own)" : field.label
      let question = try questions.answer(field, prompt, wrong: "a number of the list, please") {
        field.option($0) ?? (isFree ? .string($0) : nil)
      }
      guard let question else { return nil }
      let answer = try questions.answer(field, "Answer", hidden: field.isSecret) { .string($0) }
      return answer.map { ["question": question, "answer": $0] }
    },
    value: { _, text in
      guard let value = try? JSON(parsing: text), value.object != nil else { return nil }
      return value
    }
  )
}
