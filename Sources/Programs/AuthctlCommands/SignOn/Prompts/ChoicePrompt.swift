internal import JSON

extension Prompt {
  /// One of several options, by its number, its label or its value.
  static let choice = Prompt(
    notices: { Notice.lines($0.optionList()) },
    ask: { (field, questions) throws(Leaving) in
      let wrong: SafeText = "a number of the list, please"
      return try questions.answer(field, field.labelWithNumber, wrong: wrong) { field.option($0) }
    },
    value: { field, text in field.option(text) }
  )
}

extension Collector {
  /// The options as a numbered list.
  func optionList(indent: SafeText = "  ") -> [SafeText] {
    Columns.lines(options.enumerated().map { ["\(indent)\($0.offset + 1)", $0.element.label] })
  }

  /// The value of the option that a text names; the text itself where no options are known.
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

  /// The number of an option in the list; options may be told by their place, from 0 on.
  func number(of value: JSON) -> Int? {
    let text = value.string ?? value.text
    return options.firstIndex { $0.value == text }.map { $0 + 1 }
  }

  fileprivate var labelWithNumber: SafeText {
    guard let number = preset.flatMap(number) else { return label }
    return "\(label) [\(number)]"
  }
}
