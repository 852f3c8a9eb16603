internal import ControlAPI
internal import ControlClient
internal import JSON

/// A field that a step shows or asks for.
struct FormField {
  let collector: Collector
  /// The value that an empty answer stands for.
  var preset: JSON?
  /// The choices; empty if any value is allowed.
  let options: [Option]

  init(_ collector: Collector) {
    self.collector = collector
    options = collector.options.map { option in
      Option(label: option.label.isEmpty ? "\(option.value)" : Markup.line(option.label), value: option.value)
    }
    preset = isSecret ? nil : value
  }

  /// A choice.
  struct Option {
    let label: SafeText
    let value: String
  }

  var key: String { collector.key }
  var type: String { collector.type }
  var isSecret: Bool { collector.isSecret || type.contains("Password") }
  var isRequired: Bool { collector.isRequired }

  /// The value from the server; `nil` if it is empty.
  var value: JSON? { collector.value.flatMap { $0.isNull || $0 == "" ? nil : $0 } }

  /// The prompt for this type of field.
  var prompt: Prompt { Prompt.byType[type] ?? (isSecret ? .password : .unknown) }

  var label: SafeText {
    guard let text = collector.label, !text.isEmpty else {
      return options.isEmpty ? RawName.words(key.isEmpty ? type : key) : "choose"
    }
    var words = Substring(Markup.line(text).text)
    while words.last == ":" || words.last == " " { words.removeLast() }
    return "\(words)"
  }

  /// The lines of text of a field that only shows something.
  var shownLines: [SafeText] { (collector.value?.string ?? collector.label).map { Markup.lines($0) } ?? [] }

  /// The notices before the question.
  ///
  /// A field without a question also shows its error here.
  var notices: [Notice] {
    prompt.notices(self) + (prompt.ask == nil ? problem.map { [.text($0)] } ?? [] : [])
  }

  var problem: SafeText? { collector.message.map { Markup.line($0) } }
}
