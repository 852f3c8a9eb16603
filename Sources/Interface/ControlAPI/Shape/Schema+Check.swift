internal import JSON
internal import Time

extension Schema {
  /// Whether a value has the shape; objects may not have properties that the shape does not name.
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

  /// How an object is not what it has to be.
  enum Violation {
    case missing(Property)
    case wrong(Property)
    case unknownMember
  }

  /// What is wrong first; `nil` when all is well.
  static func violation(of properties: [Property], in object: JSONObject) -> Violation? {
    for property in properties {
      guard let value = object[property.name] else {
        if property.isRequired { return .missing(property) }
        continue
      }
      if !property.schema.accepts(value) { return .wrong(property) }
    }
    let isKnown = object.names.allSatisfy { name in properties.contains { $0.name.hasSameBytes(as: name) } }
    return isKnown ? nil : .unknownMember
  }
}
