internal import JSON

extension Prompt {
  /// A secret, which is not shown; a new one is asked for twice.
  static let password = Prompt(
    ask: { (field, questions) throws(Leaving) in
      while true {
        let first = try questions.answer(field, field.label, hidden: true) { .string($0) }
        guard let first, field.isNewSecret else { return first }
        let second = try questions.line("\(field.label), again", hidden: true)
        if first.string?.hasSameBytes(as: second) == true { return first }
        questions.tell("the two are not the same")
      }
    }
  )
}

extension Collector {
  fileprivate var isNewSecret: Bool {
    raw("type") == "PASSWORD_VERIFY" || raw("verify") == true || type == "ValidatedCreatePasswordCallback"
  }
}
