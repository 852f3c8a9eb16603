/// The header fields of a message, in their order; names compare without regard to case.
package struct HTTPHeaders: Sendable {
  /// The fields as they were or will be written.
  package private(set) var fields: [(name: String, value: String)]

  /// Fields from names and values.
  package init(_ fields: [(String, String)] = []) { self.fields = fields.map { (name: $0.0, value: $0.1) } }

  /// Adds a field after those that are there, also when one has the same name.
  package mutating func add(_ name: String, _ value: String) { fields.append((name: name, value: value)) }

  /// The value of the first field of that name.
  package subscript(_ name: String) -> String? { values(name).first }

  /// The values of all fields of that name.
  package func values(_ name: String) -> [String] {
    let wanted = name.lowercased()
    return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// The media type of the content without its parameters, in lower case.
  package var mediaType: String? {
    guard let value = self["content-type"] else { return nil }
    let type = value.prefix { $0 != ";" }
    return String(type.filter { $0 != " " && $0 != "\t" }).lowercased()
  }

  /// The cookies that came with the request, by name; of several with one name the first.
  package var cookies: [String: String] {
    var cookies: [String: String] = [:]
    for field in values("cookie") {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { continue }
        let name = String(parts[0].drop { $0 == " " })
        if cookies[name] == nil { cookies[name] = String(parts[1]) }
      }
    }
    return cookies
  }
}
