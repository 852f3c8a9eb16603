internal import ControlAPI
internal import JSON
internal import Text

/// A field as received from the server, with the data of its page that it needs.
struct DaVinciField: Sendable {
  /// The field as received.
  let json: JSON
  /// Key of the field in a reply; generated if the field has none.
  let key: String
  /// True if the server gave the field a usable key.
  let hasKey: Bool
  /// The initial value of the field in the form.
  let initial: JSON?
  /// The field's text with links, as returned by `RichText.text`; `nil` if it has none.
  let richText: String?
  /// The password rules of the page.
  let passwordPolicy: JSON?
  /// True if a browser may be sent to this machine without TLS.
  let allowsLoopbackHTTP: Bool

  private static let maximumOptions = 512
  private static let longestOption = 2048
  private static let longestPattern = 2048

  /// The server's name for the kind of field.
  var type: String { json["type"]?.string ?? "" }

  /// The label, if any.
  var label: String? { text("label") }

  /// The label or, without one, the key.
  var name: String { label ?? DisplayText.clean(key) }

  /// True if input is required.
  var isRequired: Bool { json["required"] == true }

  /// The field as received; `nil` if it is too long to be shown.
  var raw: JSON? { json.bounded }

  /// Returns a member that is text for users; `nil` if it is missing or empty.
  func text(_ name: String, maximum: Int = DisplayText.standardLength) -> String? {
    json[name]?.string.flatMap { DisplayText.trimmed($0, maximum: maximum) }
  }

  /// Creates a collector of this type with the members that all fields have.
  func collector(_ type: String) -> Collector {
    var collector = Collector(key: key, type: type, label: label)
    collector.isRequired = isRequired
    return collector
  }

  /// Rules for a text, as a hint for clients; only the server enforces them.
  var validation: Collector.Validation? {
    guard let validation = json["validation"] else { return nil }
    let pattern = validation["regex"]?.string.flatMap { $0.utf8.count <= Self.longestPattern ? $0 : nil }
    let message = validation["errorMessage"]?.string.flatMap {
      DisplayText.trimmed($0, maximum: DisplayText.bodyLength)
    }
    if pattern == nil, message == nil { return nil }
    return Collector.Validation(pattern: pattern, message: message)
  }

  /// Returns the options, each with the server's JSON; omits options without a usable member `value`.
  func options(_ value: String, label: (JSON) -> [String?]) -> [(option: Collector.Option, json: JSON)] {
    (json["options"]?.array ?? []).prefix(Self.maximumOptions).compactMap { json in
      guard let value = json[value]?.string, value.utf8.count <= Self.longestOption else { return nil }
      let words = label(json).compactMap { $0 }.filter { !$0.isEmpty }
      let text = words.isEmpty ? value : words.joined(separator: " ")
      return (Collector.Option(label: DisplayText.clean(text), value: value), json)
    }
  }
}
