import JSON
import Time

/// A value with a JSON representation.
protocol Shown: Sendable { var json: JSON { get } }

extension Shown where Self: RawRepresentable<String> { var json: JSON { .string(rawValue) } }

extension JSON: Shown { var json: JSON { self } }

extension JSONObject: Shown { var json: JSON { .object(self) } }

extension String: Shown { var json: JSON { .string(self) } }

extension Int: Shown { var json: JSON { .int(self) } }

extension Bool: Shown { var json: JSON { .bool(self) } }

extension Array: Shown where Element: Shown { var json: JSON { .array(map(\.json)) } }

extension ID: Shown {
  var json: JSON { .string(text) }

  var reference: JSON { ["id": json] }
}

extension Timestamp: Shown { var json: JSON { .string(text) } }

extension JSONObject {
  /// Creates an object from the members that have a value.
  init(of members: KeyValuePairs<String, (any Shown)?>) {
    self.init(members.compactMap { name, value in value.map { (name, $0.json) } })
  }

  /// Returns the object with additional members, which replace members of the same name.
  func adding(_ others: JSONObject) -> JSONObject {
    var all = self
    for member in others.members { all[member.name] = member.value }
    return all
  }
}

extension JSON {
  static func of(_ members: KeyValuePairs<String, (any Shown)?>, adding more: JSONObject = [:]) -> JSON {
    .object(JSONObject(of: members).adding(more))
  }

  static func texts(_ members: [(String, String)]) -> JSON {
    .object(JSONObject(members.map { ($0.0, .string($0.1)) }))
  }

  func adding(_ other: JSON) -> JSON { .object((object ?? [:]).adding(other.object ?? [:])) }

  /// Returns URLs as HAL links.
  static func links(_ links: KeyValuePairs<String, String>, adding more: JSONObject = [:]) -> JSON {
    let all = JSONObject(links.map { ($0.key, .string($0.value)) }).adding(more)
    return .object(JSONObject(all.members.map { ($0.name, ["href": $0.value]) }))
  }
}
