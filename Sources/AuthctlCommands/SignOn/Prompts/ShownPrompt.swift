internal import JSON

extension Prompt {
  /// A text that is only shown.
  static let shown = Prompt(notices: { Notice.lines($0.shownText) })

  /// A text with a title of its own.
  static let agreement = Prompt(
    notices: { field in
      let title = field.raw("titleEnabled") == true ? field.raw("title")?.string : nil
      return Notice.lines((title.map { Markup.lines($0) } ?? []) + field.shownText)
    }
  )

  /// Nothing that a person could answer or wants to see; the daemon answers it.
  static let silent = Prompt()
}

extension Collector {
  /// What a field that only shows something says: its label, its value or both.
  fileprivate var shownText: [SafeText] {
    if !richText.isEmpty { return richText }
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

  /// A text with links in it, if the server sent one.
  var richText: [SafeText] {
    guard let rich = raw("richContent"), let content = rich["content"]?.string, !content.isEmpty else {
      return []
    }
    var text: SafeText = ""
    var rest = content[...]
    while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
      let link = rich["replacements"]?[String(rest[open.upperBound..<close.lowerBound])]
      let name = link?["value"]?.string ?? String(rest[open.lowerBound..<close.upperBound])
      let target = link?["href"]?.string.map { " (\($0))" as SafeText } ?? ""
      text = "\(text)\(rest[..<open.lowerBound])\(name)\(target)"
      rest = rest[close.upperBound...]
    }
    return ["\(text)\(rest)"]
  }
}
