internal import ControlAPI
internal import ControlClient
internal import JSON

extension Prompt {
  static let line = Prompt(
    ask: { (field, questions) throws(FormExit) in
      try questions.answer(field, field.labelWithPreset) { TypedAnswer.value(of: $0) }
    }
  )

  static let number = Prompt(
    ask: { (field, questions) throws(FormExit) in
      try questions.answer(field, field.labelWithPreset, wrong: "not a number") { number($0) }
    },
    value: { _, text in number(text) }
  )

  private static func number(_ text: String) -> JSON? {
    guard let value = try? JSON(parsing: text.replacing(" ", with: "")), let double = value.double,
      double.isFinite
    else { return nil }
    return value
  }
}

extension FormField {
  /// The label with the default in brackets.
  fileprivate var labelWithPreset: SafeText {
    guard let preset else { return label }
    return "\(label) [\(Describe.value(preset))]"
  }
}

extension Prompt {
  /// A security question, from a list or written by the user, or the separate field for its answer.
  static let question = Prompt(
    notices: { $0.optionList.map { .row($0) } },
    ask: { (field, questions) throws(FormExit) in
      if field.options.isEmpty {
        return try questions.answer(field, field.label, hidden: field.isSecret) { .string($0) }
      }
      let prompt: SafeText =
        field.isFree ? "\(field.label) (a number, or a question of your own)" : field.label
      return try questions.answer(field, prompt, wrong: "enter a number of the list") { field.question($0) }
    },
    value: { field, text in field.question(text) }
  )
}

extension FormField {
  /// True if the user may give another question.
  ///
  /// Older servers do not send this flag.
  fileprivate var isFree: Bool { output("allowUserDefinedQuestions") != false }

  fileprivate func question(_ text: String) -> JSON? { option(text) ?? (isFree ? .string(text) : nil) }
}

extension Prompt {
  /// A hidden secret; a new one is asked for twice.
  static let password = Prompt(
    notices: { field in
      let rules = field.isNewSecret ? field.rules : []
      return rules.isEmpty ? [] : [.text("  required: \(rules.joined(separator: ", "))")]
    },
    ask: { (field, questions) throws(FormExit) in
      while true {
        let prompt: SafeText = questions.receiver.map { "\(field.label) for \($0)" } ?? field.label
        let first = try questions.answer(field, prompt, hidden: true) { TypedAnswer.value(of: $0) }
        guard let first, field.isNewSecret else { return first }
        let second = try questions.line("\(field.label), again", hidden: true)
        if first.string?.hasSameBytes(as: second) == true { return first }
        questions.tell("the two entries differ")
      }
    }
  )
}

extension FormField {
  /// The server's rules for a new password, as far as it sends them.
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

/// A typed answer.
///
/// `:otp`, or `:otp ID` with an account, inserts a passcode of this machine.
private enum TypedAnswer {
  private static let word = ":otp"

  /// Returns the value of an answer; `::otp` is the literal answer `:otp`.
  static func value(of text: String) -> JSON {
    if text == ":" + word { return .string(word) }
    let parts = text.split(separator: " ")
    guard parts.first == word[...], parts.count <= 2 else { return .string(text) }
    return OwnPasscode(account: parts.count == 2 ? String(parts[1]) : "").json
  }
}

extension Prompt {
  /// A field of an unknown type: shows its whole description, and sends the typed text.
  static let unknown = Prompt(
    notices: { field in
      guard let raw = field.collector.raw else { return [] }
      let type = field.raw("type")?.string ?? field.type
      return [.text("\(field.label), of the unknown type \(type): \(SafeText(raw))")]
    },
    ask: { (field, questions) throws(FormExit) in
      try questions.answer(field, field.labelWithPreset) { anything($0) }
    },
    value: { _, text in anything(text) }
  )

  private static func anything(_ text: String) -> JSON {
    (try? JSON(parsing: text)) ?? .string(text)
  }
}
