internal import JSON

extension Prompt {
  /// A text that is only shown.
  static let shown = Prompt(notices: { Notice.lines($0.shownText) })

  /// A text with a title of its own.
  static let agreement = Prompt(
    notices: { field in
      let texts = [field.json["label"], field.json["value"]].compactMap { $0?.string }
      return Notice.lines(texts.flatMap { Markup.lines($0) })
    }
  )

  /// Nothing that a person could answer or wants to see; the daemon answers it.
  static let silent = Prompt()
}

extension Collector {
  /// What a field that only shows something says: its label, its value or both.
  fileprivate var shownText: [SafeText] {
    let label = json["label"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    let value = json["value"].flatMap { $0.isNull || $0 == "" ? nil : $0 }
    switch (label, value) {
    case (nil, nil): return Markup.lines(raw("content")?.string ?? "")
    case (let label?, nil): return Markup.lines(label)
    case (let label?, let value?) where value.string.map({ Markup.line($0) }) == Markup.line(label):
      return Markup.lines(label)
    case (nil, let value?): return value.string.map { Markup.lines($0) } ?? [SafeText(value)]
    case (.some, let value?):
      return ["\(self.label): \(value.string.map { Markup.line($0) } ?? SafeText(value))"]
    }
  }
}
