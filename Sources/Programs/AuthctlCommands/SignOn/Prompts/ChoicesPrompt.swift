internal import JSON
internal import Text

extension Prompt {
  /// Any number of several options, with commas between.
  static let choices = Prompt(
    notices: { Notice.lines($0.optionList()) },
    ask: { (field, questions) throws(Leaving) in
      let wrong: SafeText = "numbers of the list, please, with commas between"
      return try questions.answer(field, field.labelWithNumbers, wrong: wrong) { field.choices($0) }
    },
    value: { field, text in field.choices(text) },
    takesSeveral: true
  )
}

extension Collector {
  fileprivate var labelWithNumbers: SafeText {
    let numbers = (preset?.array ?? []).compactMap(number).map { "\($0)" as SafeText }
    guard !numbers.isEmpty else { return "\(label) (several with commas)" }
    return "\(label) (several with commas) [\(numbers.joined(separator: ","))]"
  }

  fileprivate func choices(_ text: String) -> JSON? {
    if let list = try? JSON(parsing: text), let elements = list.array {
      return elements.allSatisfy { $0.string != nil } ? list : nil
    }
    var values: [JSON] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: true) {
      guard let value = option(String(part.trimmed { $0 == " " })) else { return nil }
      if !values.contains(value) { values.append(value) }
    }
    return .array(values)
  }
}
