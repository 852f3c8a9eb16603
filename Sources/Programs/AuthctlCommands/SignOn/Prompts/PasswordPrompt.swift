internal import ControlAPI
internal import ControlClient
internal import JSON

extension Prompt {
  /// A secret, which is not shown; a new one is asked for twice.
  static let password = Prompt(
    notices: { field in
      let rules = field.isNewSecret ? field.rules : []
      return rules.isEmpty ? [] : [.text("  wanted: \(rules.joined(separator: ", "))")]
    },
    ask: { (field, questions) throws(Leaving) in
      while true {
        let prompt: SafeText = questions.receiver.map { "\(field.label) for \($0)" } ?? field.label
        let first = try questions.answer(field, prompt, hidden: true) { TypedAnswer.value(of: $0) }
        guard let first, field.isNewSecret else { return first }
        let second = try questions.line("\(field.label), again", hidden: true)
        if first.string?.hasSameBytes(as: second) == true { return first }
        questions.tell("the two are not the same")
      }
    }
  )
}

extension FormField {
  /// What the server wants of a new password, as far as it says so.
  fileprivate var rules: [SafeText] {
    var rules: [SafeText] = collector.validation?.message.map { [Markup.line($0)] } ?? []
    let policy = raw("passwordPolicy")
    if let least = policy?["length"]?["min"]?.int { rules.append("at least \(least) characters") }
    if let least = policy?["minUniqueCharacters"]?.int { rules.append("\(least) different characters") }
    for member in policy?["minCharacters"]?.object?.members ?? [] {
      guard let count = member.value.int, count > 0 else { continue }
      rules.append("\(count) of \(Self.sets[member.name] ?? "\(member.name)")")
    }
    return rules
  }

  private static let sets: [String: SafeText] = [
    "abcdefghijklmnopqrstuvwxyz": "a-z", "ABCDEFGHIJKLMNOPQRSTUVWXYZ": "A-Z", "0123456789": "0-9",
  ]

  fileprivate var isNewSecret: Bool {
    raw("type") == "PASSWORD_VERIFY" || raw("verify") == true || type == "ValidatedCreatePasswordCallback"
  }
}
