internal import ControlAPI
internal import JSON

// Callbacks for one text.

extension CallbackForm {
  static func name(_ callback: Callback) -> CallbackForm {
    var field = callback.question(callback.text("prompt") ?? "User Name", form: .text)
    field.collector.value = callback.given
    return CallbackForm(fields: [field])
  }

  static func password(_ callback: Callback) -> CallbackForm {
    var field = callback.question(callback.text("prompt") ?? "Password", form: .text)
    field.collector.isSecret = true
    return CallbackForm(fields: [field])
  }

  static func textInput(_ callback: Callback) -> CallbackForm {
    var field = callback.question(callback.text("prompt"), form: .text)
    field.standing = callback.given ?? callback.output("defaultText").flatMap(\.nonEmptyText)
    field.collector.value = field.standing
    return CallbackForm(fields: [field])
  }

  /// Passes a captcha on to the client, which may be able to solve it; mfad itself does not show it.
  static func captcha(_ callback: Callback) -> CallbackForm {
    var field = callback.question("Captcha", form: .text)
    field.collector.raw = callback.shortenedRaw
    return CallbackForm(fields: [field])
  }
}

extension Callback {
  /// The text that the server has put into the main input, if any.
  var given: JSON? { mainInput.flatMap { inputs[$0].value.nonEmptyText } }
}

extension JSON {
  /// The value, if it is a text that is not empty.
  var nonEmptyText: JSON? { string.flatMap { $0.isEmpty ? nil : self } }
}

extension CallbackForm {
  /// A security question for a forgotten password, and its answer: two fields.
  static func securityQuestion(_ callback: Callback) -> CallbackForm {
    let texts = (callback.output("predefinedQuestions")?.array ?? []).compactMap(\.string)
    let questions = texts.prefix(Callback.mostOptions).filter { $0.unicodeScalars.count <= 1024 }
    // Older servers omit `allowUserDefinedQuestions` and accept any question.
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
