internal import JSON

extension Prompt {
  /// A question that is answered with yes or no.
  static let yesOrNo = Prompt(
    ask: { (field, questions) throws(Leaving) in try questions.yesOrNo(field, field.label) },
    value: { _, text in truth(text) }
  )

  /// What is meant with yes or no.
  static func truth(_ text: String) -> JSON? {
    let words: [String: Bool] = [
      "y": true, "yes": true, "true": true, "n": false, "no": false, "false": false,
    ]
    return words[text.lowercased()].map { .bool($0) }
  }
}

extension Questions {
  /// Asks for yes or no; what has to be decided has no default.
  func yesOrNo(_ field: Collector, _ question: SafeText) throws(Leaving) -> JSON? {
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
