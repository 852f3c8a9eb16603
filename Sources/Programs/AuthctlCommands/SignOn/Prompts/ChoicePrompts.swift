internal import ControlClient
internal import JSON
internal import Text

extension Prompt {
  /// A choice of one option by its number, label or value.
  static let choice = Prompt(
    notices: { $0.optionList.map { .row($0) } },
    ask: { (field, questions) throws(FormExit) in
      let wrong: SafeText = "enter a number of the list"
      return try questions.answer(field, field.labelWithNumber, wrong: wrong) { field.typedOption($0) }
    },
    value: { field, text in field.option(text) }
  )

  /// A choice of any number of options, separated by commas.
  static let choices = Prompt(
    notices: { $0.optionList.map { .row($0) } },
    ask: { (field, questions) throws(FormExit) in
      let wrong: SafeText = "enter numbers of the list, separated by commas"
      return try questions.answer(field, field.labelWithNumbers, wrong: wrong) { text in
        field.choices(text) { field.typedOption($0) }
      }
    },
    value: { field, text in field.choices(text) { field.option($0) } },
    takesSeveral: true
  )
}

extension FormField {
  var optionList: [SafeText] { Columns.numbered(options.map(\.label)) }

  /// Returns the value of the option that a text names; the text itself for a field without options.
  func option(_ text: String) -> JSON? {
    let options = options
    if options.isEmpty || options.contains(where: { $0.value == text }) { return .string(text) }
    if let number = Int(text), options.indices.contains(number - 1) {
      return .string(options[number - 1].value)
    }
    let name = text.lowercased()
    let fitting = options.first { $0.label.text.lowercased() == name || $0.value.lowercased() == name }
    return fitting.map { .string($0.value) }
  }

  /// Returns the value of the option that the user names.
  ///
  /// Numbers of the list take precedence over values that are numbers.
  fileprivate func typedOption(_ text: String) -> JSON? {
    guard let number = Int(text), options.indices.contains(number - 1) else { return option(text) }
    return .string(options[number - 1].value)
  }

  /// Returns the number of an option in the list.
  func number(of value: JSON) -> Int? {
    value.string.flatMap { text in options.firstIndex { $0.value == text } }.map { $0 + 1 }
  }

  fileprivate var labelWithNumber: SafeText {
    guard let number = preset.flatMap(number) else { return label }
    return "\(label) [\(number)]"
  }
}

extension FormField {
  fileprivate var labelWithNumbers: SafeText {
    let numbers = (preset?.array ?? []).compactMap(number).map { "\($0)" as SafeText }
    guard !numbers.isEmpty else { return "\(label) (several with commas)" }
    return "\(label) (several with commas) [\(numbers.joined(separator: ","))]"
  }

  fileprivate func choices(_ text: String, _ option: (String) -> JSON?) -> JSON? {
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
