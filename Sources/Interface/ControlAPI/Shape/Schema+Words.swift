extension Schema {
  /// What a value has to be, in words that go on with "has to be".
  package var words: String {
    switch self {
    case .text(let maximum): "a text of at most \(maximum) characters"
    case .choice(let texts): "one of \(texts.joined(separator: ", "))"
    case .instant: "an instant such as 2026-11-21T09:00:00Z"
    case .integer(let range): Self.words(range)
    case .number: "a number"
    case .boolean: "true or false"
    case .confirmation: "true"
    case .object: "an object"
    case .map(.anything): "an object"
    case .map(let schema): "an object, each of its members \(schema.words)"
    case .array(let schema): "a list, each of its elements \(schema.words)"
    case .nullable(let schema): "null or \(schema.words)"
    case .either(let one, let other): "\(one.words) or \(other.words)"
    case .anything: "a value"
    case .named(let named): named.schema.words
    }
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (.min, .max): "a whole number"
    case (let least, .max): "a whole number, \(least) or more"
    case (let least, let most): "a whole number from \(least) to \(most)"
    }
  }
}
