internal import ControlAPI
internal import JSON

extension CallbackForm {
  /// A question that is asked when a password was forgotten, and the answer to it: two fields.
  static func securityQuestion(_ callback: Callback) -> CallbackForm {
    let texts = (callback.output("predefinedQuestions")?.array ?? []).compactMap(\.string)
    let questions = texts.prefix(Callback.mostOptions).filter { $0.unicodeScalars.count <= 1024 }
    // Older servers do not say it and take any question.
    let isFree = questions.isEmpty || callback.output("allowUserDefinedQuestions") != false
    var question = callback.field(
      callback.text("prompt") ?? "Question",
      input: callback.input(endingWith: "question") ?? callback.mainInput,
      form: isFree ? .text : .text(of: questions)
    )
    question.collector.options = questions.map {
      Collector.Option(label: Callback.line($0, maximum: 200), value: $0)
    }
    question.collector.raw = callback.raw
    question.collector.isRequired = question.input != nil
    guard let place = callback.input(endingWith: "answer"), place != question.input else {
      return CallbackForm(fields: [question])
    }
    var answer = callback.field("Answer", input: place, form: .text)
    (answer.collector.isRequired, answer.collector.isSecret) = (true, true)
    return CallbackForm(fields: [question, answer])
  }
}
