public import JSON
internal import Time

/// The shape of a parameter or a result.
///
/// `rpc.discover` publishes it and requests are validated against it.
public indirect enum Schema: Sendable {
  /// Text with a maximum number of code points, as JSON Schema counts them.
  case text(maximum: Int)
  /// One of these texts.
  case choice([String])
  /// An instant, RFC 3339 in UTC.
  case instant
  /// An integer within a range.
  case integer(ClosedRange<Int>)
  case number
  case boolean
  /// The value `true`, by which the caller confirms an action.
  case confirmation
  /// An object with these properties and no others; optional ones may be absent.
  case object([Property])
  /// An object with any names and with values of one shape.
  case map(Schema)
  /// An array of values of one shape.
  case array(Schema)
  /// `null` or a value of the shape.
  case nullable(Schema)
  /// A value of one of the shapes.
  case either(Schema, Schema)
  case anything
  /// A shape that the OpenRPC document defines once under a name.
  case named(NamedSchema)

  public static let identifier = Schema.text(maximum: 128)
  /// Any non-negative integer.
  public static let count = Schema.integer(0 ... .max)
}

/// A member of an object, as the interface documents it.
public struct Property: Sendable {
  public let name: String
  public let schema: Schema
  /// True if the member must be present.
  public let isRequired: Bool
  /// The description, one line.
  public let meaning: String
  /// The value that an absent member stands for; `nil` if there is none.
  public let standard: JSON?
}

/// A named shape, which `rpc.discover` lists among the document's components.
public struct NamedSchema: Sendable {
  public let name: String
  public let schema: Schema
}

extension Schema {
  /// True if a value has the shape.
  ///
  /// An object must not have properties that the shape does not name.
  func accepts(_ value: JSON) -> Bool {
    switch self {
    case .text(let maximum): value.string.map { $0.unicodeScalars.count <= maximum } ?? false
    case .choice(let texts):
      value.string.map { text in texts.contains { $0.hasSameBytes(as: text) } } ?? false
    case .instant: value.string.map { Timestamp(text: $0) != nil } ?? false
    case .integer(let range): value.int.map(range.contains) ?? false
    case .number: value.double.map(\.isFinite) ?? false
    case .boolean: value.bool != nil
    case .confirmation: value.bool == true
    case .object(let properties): value.object.map { Self.violation(of: properties, in: $0) == nil } ?? false
    case .map(let schema): value.object.map { $0.members.allSatisfy { schema.accepts($0.value) } } ?? false
    case .array(let schema): value.array.map { $0.allSatisfy(schema.accepts) } ?? false
    case .nullable(let schema): value.isNull || schema.accepts(value)
    case .either(let one, let other): one.accepts(value) || other.accepts(value)
    case .anything: true
    case .named(let named): named.schema.accepts(value)
    }
  }

  /// A difference between an object and its shape.
  enum Violation {
    case missing(Property)
    case wrong(Property)
    /// A member with this name, which is arbitrary text.
    case unknown(String)
  }

  /// Returns the first violation; `nil` if the object has the shape.
  static func violation(of properties: [Property], in object: JSONObject) -> Violation? {
    for property in properties {
      guard let value = object[property.name] else {
        if property.isRequired { return .missing(property) }
        continue
      }
      if !property.schema.accepts(value) { return .wrong(property) }
    }
    let unknown = object.names.first { name in !properties.contains { $0.name.hasSameBytes(as: name) } }
    return unknown.map { .unknown($0) }
  }
}

extension Schema {
  /// The shape as a JSON Schema (draft 2020-12) for OpenRPC 1.3.
  var json: JSON {
    switch self {
    case .text(let maximum): ["type": "string", "maxLength": .int(maximum)]
    case .choice(let texts): ["type": "string", "enum": .strings(texts)]
    case .instant: ["type": "string", "format": "date-time"]
    case .integer(let range): Self.json(of: range)
    case .number: ["type": "number"]
    case .boolean: ["type": "boolean"]
    case .confirmation: ["const": true]
    case .object(let properties): Self.json(of: properties)
    case .map(let schema): ["type": "object", "additionalProperties": schema.json]
    case .array(let schema): ["type": "array", "items": schema.json]
    case .nullable(let schema): ["anyOf": [["type": "null"], schema.json]]
    case .either(let one, let other): ["anyOf": [one.json, other.json]]
    case .anything: [:]
    case .named(let named): ["$ref": .string("#/components/schemas/\(named.name)")]
    }
  }

  private static func json(of range: ClosedRange<Int>) -> JSON {
    var object: JSONObject = ["type": "integer"]
    if range.lowerBound != .min { object["minimum"] = .int(range.lowerBound) }
    if range.upperBound != .max { object["maximum"] = .int(range.upperBound) }
    return .object(object)
  }

  private static func json(of properties: [Property]) -> JSON {
    [
      "type": "object",
      "properties": .object(JSONObject(properties.map { ($0.name, description(of: $0)) })),
      "required": .strings(properties.filter(\.isRequired).map(\.name)),
    ]
  }

  private static func description(of property: Property) -> JSON {
    guard var object = property.schema.json.object else { return property.schema.json }
    object["description"] = .string(property.meaning)
    object["default"] = property.standard
    return .object(object)
  }

  /// The named shapes that this one references, directly and indirectly.
  public var namedSchemas: [NamedSchema] {
    switch self {
    case .named(let named): [named] + named.schema.namedSchemas
    case .object(let properties): properties.flatMap(\.schema.namedSchemas)
    case .map(let schema), .array(let schema), .nullable(let schema): schema.namedSchemas
    case .either(let one, let other): one.namedSchemas + other.namedSchemas
    case .text, .choice, .instant, .integer, .number, .boolean, .confirmation, .anything: []
    }
  }
}

extension Schema {
  /// The required value, in words that continue "has to be".
  public var words: String {
    switch self {
    case .text(let maximum): "a text of at most \(maximum) characters"
    case .choice(let texts): "one of \(texts.joined(separator: ", "))"
    case .instant: "an instant such as 2026-11-21T09:00:00Z"
    case .integer(let range): Self.words(range)
    case .number: "a number"
    case .boolean: "true or false"
    case .confirmation: "true"
    case .object: "an object"
    case .map(.anything): "an object"
    case .map(let schema): "an object, each of its members \(schema.words)"
    case .array(let schema): "a list, each of its elements \(schema.words)"
    case .nullable(let schema): "null or \(schema.words)"
    case .either(let one, let other): "\(one.words) or \(other.words)"
    case .anything: "a value"
    case .named(let named): named.schema.words
    }
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (.min, .max): "a whole number"
    case (let least, .max): "a whole number, \(least) or more"
    case (let least, let most): "a whole number from \(least) to \(most)"
    }
  }
}
