import EventLoop
import JSON

/// JSON of a flow file with placeholders.
///
/// `${subject.name}` is a value of the play. `{"$text": {…}}` is the text in the user's language.
struct FlowTemplate: Sendable {
  private let json: JSON

  init(_ json: JSON) { self.json = json }

  init(_ reader: FlowReader) throws(FlowFileError) {
    json = reader.value
    try Self.check(reader)
  }

  private static let translation = "$text"

  private static func check(_ reader: FlowReader) throws(FlowFileError) {
    switch reader.value {
    case .string(let text):
      guard let parts = parts(of: text) else { throw reader.failure("a value is written as ${subject.name}") }
      for part in parts {
        guard case .value(let subject, let name) = part else { continue }
        guard let found = FlowSubject.table[subject] else {
          let known = FlowSubject.table.keys.sorted().joined(separator: ", ")
          throw reader.failure("there is no subject \(subject); there are \(known)")
        }
        guard found.names?.contains(name) ?? true else {
          let names = (found.names ?? []).sorted().joined(separator: ", ")
          throw reader.failure("\(subject) has no \(name); it has \(names)")
        }
        if subject == FlowSubject.variables { reader.scope.variablesRead.append((name, reader.place)) }
      }
    case .array: for element in try reader.elements() { try check(element) }
    case .object(let object):
      var members = FlowMembers(object, of: reader)
      if object.names == [translation], let texts = object[translation] {
        guard let languages = texts.object, languages["en"] != nil,
          languages.members.allSatisfy({ $0.value.string != nil })
        else { throw reader.failure("\(translation) needs a text for each language, one of which is en") }
      }
      for (_, member) in members.rest() { try check(member) }
    case .null, .bool, .number: break
    }
  }

  private enum Part: Equatable {
    case literal(String)
    case value(subject: String, name: String)
  }

  /// Returns the literal parts and the placeholders of a text, `nil` if a placeholder has a wrong syntax.
  private static func parts(of text: String) -> [Part]? {
    // A fast path, since most texts contain no placeholder.
    guard text.contains("$") else { return text.isEmpty ? [] : [.literal(text)] }
    var parts: [Part] = []
    var rest = text[...]
    while let match = rest.firstMatch(of: #/\$\{([^.}]+)\.([^}]+)\}/#) {
      parts.append(.literal(String(rest[..<match.range.lowerBound])))
      parts.append(.value(subject: String(match.1), name: String(match.2)))
      rest = rest[match.range.upperBound...]
    }
    parts = (parts + [.literal(String(rest))]).filter { $0 != .literal("") }
    return parts.contains { if case .literal(let text) = $0 { text.contains("${") } else { false } }
      ? nil : parts
  }
}

@EventLoop
extension FlowTemplate {
  /// Returns the JSON with the values of a play; a text that is one placeholder becomes the value itself.
  func json(in play: FlowPlay) -> JSON { Self.expand(json, in: play) }

  func object(in play: FlowPlay) -> JSONObject { json(in: play).object ?? [:] }

  /// Returns the text with the values of a play; a missing value is empty.
  func text(in play: FlowPlay) -> String { Self.text(json(in: play)) }

  private static func expand(_ json: JSON, in play: FlowPlay) -> JSON {
    switch json {
    case .string(let text): return expand(text, in: play)
    case .array(let elements): return .array(elements.map { expand($0, in: play) })
    case .object(let object):
      if object.names == [translation], let texts = object[translation]?.object {
        return expand(play.language(among: texts), in: play)
      }
      return .object(JSONObject(object.members.map { ($0.name, expand($0.value, in: play)) }))
    case .null, .bool, .number: return json
    }
  }

  private static func expand(_ text: String, in play: FlowPlay) -> JSON {
    let values = (parts(of: text) ?? []).map { part -> JSON in
      switch part {
      case .literal(let text): .string(text)
      case .value(let subject, let name): FlowSubject.table[subject]?.value(play, name) ?? ""
      }
    }
    return values.count == 1 ? values[0] : .string(values.map { Self.text($0) }.joined())
  }

  private static func text(_ json: JSON) -> String {
    if let text = json.string { return text }
    return json.isNull ? "" : json.text
  }
}
