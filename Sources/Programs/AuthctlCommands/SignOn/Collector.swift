internal import JSON

/// One thing that a step shows or asks for.
struct Collector {
  let json: JSON
  /// The value that an empty answer stands for.
  var preset: JSON?

  init(json: JSON) {
    self.json = json
    preset = isSecret ? nil : json["value"].flatMap { $0.isNull || $0 == "" ? nil : $0 }
  }

  var key: String { json["key"]?.string ?? "" }
  var type: String { json["type"]?.string ?? "" }
  var isSecret: Bool { json["secret"] == true || type.contains("Password") }
  var isRequired: Bool { json["required"] == true }

  /// How it is put to a person.
  var prompt: Prompt { Prompt.byType[type] ?? (isSecret ? .password : .unknown) }

  /// What stands before the answer.
  var label: SafeText {
    guard let text = json["label"]?.string, !text.isEmpty else {
      return options.isEmpty ? "\(key.isEmpty ? type : key)" : "choose"
    }
    var words = Substring(Markup.line(text).text)
    while words.last == ":" || words.last == " " { words.removeLast() }
    return "\(words)"
  }

  /// The text that it shows, if it is one that only shows something.
  var text: String? { json["value"]?.string ?? json["label"]?.string }

  /// What is shown of it before it is asked for; of one that wants no answer also what it says besides.
  var notices: [Notice] {
    prompt.notices(self) + (prompt.ask == nil ? problem.map { [.text($0)] } ?? [] : [])
  }

  /// What is wrong with the last answer.
  var problem: SafeText? { json["message"]?.string.map { Markup.line($0) } }

  /// The choices, if only these are allowed.
  var options: [Option] { (json["options"]?.array ?? []).compactMap(Option.init) }

  /// A member of the server's own object.
  func raw(_ name: String) -> JSON? { json["raw"]?[name] }

  /// What a callback of a journey says under a name.
  func output(_ name: String) -> JSON? {
    json["raw"]?["output"]?.array?.first { $0["name"]?.string == name }?["value"]
  }

  /// One of several answers.
  struct Option {
    let label: SafeText
    let value: String

    init?(json: JSON) {
      guard let value = json["value"]?.string else { return nil }
      self.value = value
      label = json["label"]?.string.map { Markup.line($0) } ?? "\(value)"
    }
  }
}
