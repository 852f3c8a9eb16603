package import JSON

/// One thing that a step of a sign-on asks or shows.
package struct Collector: Sendable {
  /// One of several answers.
  package struct Option: Sendable, Equatable {
    /// What to call it.
    package let label: String
    package let value: String

    /// One of several answers.
    package init(label: String, value: String) { (self.label, self.value) = (label, value) }
  }

  /// What a text has to look like.
  package struct Validation: Sendable, Equatable {
    /// A regular expression that the text has to match, as the server writes it.
    package let pattern: String?
    /// What to say of a text that does not.
    package let message: String?

    /// What a text has to look like.
    package init(pattern: String?, message: String?) { (self.pattern, self.message) = (pattern, message) }
  }

  /// The name under which the answer is handed in.
  package let key: String
  /// The collector's or callback's own name.
  package let type: String
  /// What to call it.
  package var label: String?
  /// Whether an answer is needed.
  package var isRequired = false
  /// Whether the answer must not be shown.
  package var isSecret = false
  /// The answers to choose from; empty: any.
  package var options: [Option] = []
  /// The answer that stands unless there is another, or what is shown.
  package var value: JSON?
  /// What a text has to look like.
  package var validation: Validation?
  /// What is wrong with the last answer.
  package var message: String?
  /// The server's own description, for what is not expressed above; at most 8 KiB.
  package var raw: JSON?

  /// One thing to ask or to show.
  package init(key: String, type: String, label: String? = nil) {
    (self.key, self.type, self.label) = (key, type, label)
  }

  static let schema = Schema.object([
    .required("key", .text(maximum: 256), "the name under which the answer is handed in"),
    .required("type", .text(maximum: 256), "the name of a collector of DaVinci or a callback of a journey"),
    .optional("label", .text(maximum: 1600)),
    .optional("required", .boolean, "an answer is needed"),
    .optional("secret", .boolean, "the answer must not be shown"),
    .optional("options", .array(Option.schema), "the answers to choose from"),
    .optional("value", .anything, "the answer that stands unless there is another, or what is shown"),
    .optional("validation", Validation.schema, "what a text has to look like"),
    .optional("message", .text(maximum: 1600), "what is wrong with the last answer"),
    .optional("raw", .anything, "the server's own description, for what is not expressed otherwise"),
  ])

  var json: JSON {
    var object: JSONObject = ["key": .string(key), "type": .string(type)]
    object["label"] = label.map { .string($0) }
    if isRequired { object["required"] = true }
    if isSecret { object["secret"] = true }
    if !options.isEmpty { object["options"] = .array(options.map(\.json)) }
    object["value"] = value
    object["validation"] = validation?.json
    object["message"] = message.map { .string($0) }
    object["raw"] = raw
    return .object(object)
  }
}

extension Collector.Option {
  static let schema = Schema.object([
    .required("label", .text(maximum: 800)), .required("value", .text(maximum: 2048)),
  ])

  var json: JSON { ["label": .string(label), "value": .string(value)] }
}

extension Collector.Validation {
  static let schema = Schema.object([
    .optional("pattern", .text(maximum: 2048)), .optional("message", .text(maximum: 1600)),
  ])

  var json: JSON {
    var object = JSONObject()
    object["pattern"] = pattern.map { .string($0) }
    object["message"] = message.map { .string($0) }
    return .object(object)
  }
}
