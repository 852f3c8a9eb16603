internal import JSON

extension Prompt {
  /// Terms, which are shown and then accepted or not.
  static let terms = Prompt(
    notices: { field in
      let terms = field.output("terms")?.string ?? field.json["value"]?.string ?? ""
      return Notice.lines(Markup.lines(terms))
    },
    ask: { (field, questions) throws(Leaving) in
      try questions.yesOrNo(field, "do you accept these terms?")
    },
    value: { _, text in truth(text) }
  )
}
