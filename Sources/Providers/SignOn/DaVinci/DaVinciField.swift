internal import ControlAPI
internal import JSON
internal import Text

/// What the server says of a field, and what of its page the field needs.
struct DaVinciField: Sendable {
  /// The field as it came.
  let json: JSON
  /// What it is called in a reply, or made up for one that has no key.
  let key: String
  /// Whether the key is the field's own.
  let hasKey: Bool
  /// The value that the form begins with.
  let initial: JSON?
  /// Its text with links in it, if it has one.
  let richText: String?
  /// The rules for passwords that stand at the page.
  let passwordPolicy: JSON?
  /// Whether a browser may be sent to this machine without TLS.
  let allowsLoopbackHTTP: Bool

  private static let maximumOptions = 512
  private static let longestOption = 2048
  private static let longestPattern = 2048

  /// The server's name of its kind.
  var type: String { json["type"]?.string ?? "" }

  /// What to call it.
  var label: String? { text("label") }

  /// What to call it in any case.
  var name: String { label ?? DisplayText.clean(key) }

  /// Whether input is needed.
  var isRequired: Bool { json["required"] == true }

  /// The field as it came, if it is not too long to be shown.
  var raw: JSON? { json.bounded }

  /// A member that is meant for a person; `nil` if there is none or it is empty.
  func text(_ name: String, maximum: Int = DisplayText.standardLength) -> String? {
    json[name]?.string.flatMap { DisplayText.trimmed($0, maximum: maximum) }
  }

  /// A collector of that type with what every field has.
  func collector(_ type: String) -> Collector {
    var collector = Collector(key: key, type: type, label: label)
    collector.isRequired = isRequired
    return collector
  }

  /// The form of a text, as a hint for clients: the server checks it.
  var validation: Collector.Validation? {
    guard let validation = json["validation"] else { return nil }
    let pattern = validation["regex"]?.string.flatMap { $0.utf8.count <= Self.longestPattern ? $0 : nil }
    let message = validation["errorMessage"]?.string.flatMap {
      DisplayText.trimmed($0, maximum: DisplayText.bodyLength)
    }
    if pattern == nil, message == nil { return nil }
    return Collector.Validation(pattern: pattern, message: message)
  }

  /// The options, each with its description by the server; those that cannot be named are left out.
  func options(_ value: String, label: (JSON) -> [String?]) -> [(option: Collector.Option, json: JSON)] {
    (json["options"]?.array ?? []).prefix(Self.maximumOptions).compactMap { json in
      guard let value = json[value]?.string, value.utf8.count <= Self.longestOption else { return nil }
      let words = label(json).compactMap { $0 }.filter { !$0.isEmpty }
      let text = words.isEmpty ? value : words.joined(separator: " ")
      return (Collector.Option(label: DisplayText.clean(text), value: value), json)
    }
  }
}
