internal import JSON

extension Schema {
  /// The shape as a JSON Schema (draft 2020-12), as OpenRPC 1.3 holds it.
  var json: JSON {
    switch self {
    case .text(let maximum): ["type": "string", "maxLength": .int(maximum)]
    case .choice(let texts): ["type": "string", "enum": .strings(texts)]
    case .instant: ["type": "string", "format": "date-time"]
    case .integer(let range): Self.integer(range)
    case .number: ["type": "number"]
    case .boolean: ["type": "boolean"]
    case .confirmation: ["const": true]
    case .object(let properties): Self.object(properties)
    case .map(let schema): ["type": "object", "additionalProperties": schema.json]
    case .array(let schema): ["type": "array", "items": schema.json]
    case .nullable(let schema): ["anyOf": [["type": "null"], schema.json]]
    case .either(let one, let other): ["anyOf": [one.json, other.json]]
    case .anything: [:]
    case .named(let named): ["$ref": .string("#/components/schemas/\(named.name)")]
    }
  }

  private static func integer(_ range: ClosedRange<Int>) -> JSON {
    var object: JSONObject = ["type": "integer"]
    if range.lowerBound != .min { object["minimum"] = .int(range.lowerBound) }
    if range.upperBound != .max { object["maximum"] = .int(range.upperBound) }
    return .object(object)
  }

  private static func object(_ properties: [Property]) -> JSON {
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

  /// The named shapes that this one refers to, each with those that it refers to itself.
  package var namedSchemas: [NamedSchema] {
    switch self {
    case .named(let named): [named] + named.schema.namedSchemas
    case .object(let properties): properties.flatMap(\.schema.namedSchemas)
    case .map(let schema), .array(let schema), .nullable(let schema): schema.namedSchemas
    case .either(let one, let other): one.namedSchemas + other.namedSchemas
    case .text, .choice, .instant, .integer, .number, .boolean, .confirmation, .anything: []
    }
  }
}
