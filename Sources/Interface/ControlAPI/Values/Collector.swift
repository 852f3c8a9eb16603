package import JSON

/// One thing that a step of a sign-on asks or shows.
package struct Collector: ControlObject {
  /// One of several values to choose from.
  package struct Option: ControlObject, Equatable {
    package let label: String
    package let value: String

    package init(label: String, value: String) { (self.label, self.value) = (label, value) }

    package static let shape = Shape(
      Option.init(label:value:),
      .required("label", \.label, "what to call it"),
      .required("value", \.value, as: .text(maximum: 2048), "what is handed in for it")
    )
  }

  /// What a text has to look like.
  package struct Validation: ControlObject, Equatable {
    package let pattern: String?
    package let message: String?

    package init(pattern: String?, message: String?) { (self.pattern, self.message) = (pattern, message) }

    package static let shape = Shape(
      Validation.init(pattern:message:),
      .optional(
        "pattern",
        \.pattern,
        as: .text(maximum: 2048),
        "a regular expression that it has to match, as the server writes it"
      ),
      .optional("message", \.message, as: .text(maximum: 1600), "what to say of a text that does not")
    )
  }

  package let key: String
  package let type: String
  package var label: String?
  package var isRequired = false
  package var isSecret = false
  package var options: [Option] = []
  package var value: JSON?
  package var validation: Validation?
  package var message: String?
  /// At most 8 KiB.
  package var raw: JSON?

  package static let shape = Shape(
    Collector.init(key:type:label:isRequired:isSecret:options:value:validation:message:raw:),
    .required("key", \.key, as: .text(maximum: 256), "the name under which the input is handed in"),
    .required(
      "type",
      \.type,
      as: .text(maximum: 256),
      "the name of a collector of DaVinci or a callback of a journey"
    ),
    .optional("label", \.label, as: .text(maximum: 1600), "what to call it"),
    .optional("required", \.isRequired, default: false, "an input is needed"),
    .optional("secret", \.isSecret, default: false, "the input must not be shown"),
    .optional("options", \.options, default: [], "the values to choose from"),
    .optional("value", \.value, "what stands unless there is an input, or what is shown"),
    .optional("validation", \.validation, "what a text has to look like"),
    .optional("message", \.message, as: .text(maximum: 1600), "what is wrong with the last input"),
    .optional("raw", \.raw, "the server's own description, for what is not expressed otherwise")
  )
}

extension Collector {
  package init(key: String, type: String, label: String? = nil) {
    self.init(key: key, type: type, label: label, isRequired: false)
  }
}
