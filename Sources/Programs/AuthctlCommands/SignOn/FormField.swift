internal import ControlAPI
internal import ControlClient
internal import JSON

/// One thing that a step shows or asks for, as a person meets it.
struct FormField {
  let collector: Collector
  /// The value that an empty answer stands for.
  var preset: JSON?
  /// The choices, if only these are allowed.
  let options: [Option]

  init(_ collector: Collector) {
    self.collector = collector
    options = collector.options.map { option in
      Option(label: option.label.isEmpty ? "\(option.value)" : Markup.line(option.label), value: option.value)
    }
    preset = isSecret ? nil : value
  }

  /// One of several answers.
  struct Option {
    let label: SafeText
    let value: String
  }

  var key: String { collector.key }
  var type: String { collector.type }
  var isSecret: Bool { collector.isSecret || type.contains("Password") }
  var isRequired: Bool { collector.isRequired }

  /// What the server set it to, if that is anything.
  var value: JSON? { collector.value.flatMap { $0.isNull || $0 == "" ? nil : $0 } }

  /// How it is put to a person.
  var prompt: Prompt { Prompt.byType[type] ?? (isSecret ? .password : .unknown) }

  var label: SafeText {
    guard let text = collector.label, !text.isEmpty else {
      return options.isEmpty ? RawName.words(key.isEmpty ? type : key) : "choose"
    }
    var words = Substring(Markup.line(text).text)
    while words.last == ":" || words.last == " " { words.removeLast() }
    return "\(words)"
  }

  /// The lines of the text that it shows, if it is one that only shows something.
  var shownLines: [SafeText] { (collector.value?.string ?? collector.label).map { Markup.lines($0) } ?? [] }

  /// What is shown of it before it is asked for; of one that wants no answer also what it says besides.
  var notices: [Notice] {
    prompt.notices(self) + (prompt.ask == nil ? problem.map { [.text($0)] } ?? [] : [])
  }

  var problem: SafeText? { collector.message.map { Markup.line($0) } }
}
