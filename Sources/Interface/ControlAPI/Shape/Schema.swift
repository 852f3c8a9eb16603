package import JSON

/// The shape of a parameter or a result: what `rpc.discover` tells and what requests are checked against.
package indirect enum Schema: Sendable {
  /// Text of at most so many code points, as JSON Schema counts them.
  case text(maximum: Int)
  /// One of these texts.
  case choice([String])
  /// An instant, RFC 3339 in UTC.
  case instant
  /// An integer within a range.
  case integer(ClosedRange<Int>)
  case number
  case boolean
  /// Exactly `true`: a question that was answered with yes.
  case confirmation
  /// An object with exactly these properties.
  case object([Property])
  /// An object of any names with values of one shape.
  case map(Schema)
  /// An array of values of one shape.
  case array(Schema)
  /// `null` or a value of the shape.
  case nullable(Schema)
  /// A value of one of the shapes.
  case either(Schema, Schema)
  case anything
  /// A shape that the document defines once under a name.
  case named(NamedSchema)

  package static let identifier = Schema.text(maximum: 128)
  /// Any integer that a result may hold.
  package static let count = Schema.integer(0 ... .max)
}

/// A member of an object, as others have to know it.
package struct Property: Sendable {
  package let name: String
  package let schema: Schema
  /// Whether it is always there.
  package let isRequired: Bool
  /// What it means, in one line.
  package let meaning: String
  /// What its absence means, if that is a value like others.
  package let standard: JSON?
}

/// A shape with a name, which `rpc.discover` lists among the document's components.
package struct NamedSchema: Sendable {
  package let name: String
  package let schema: Schema
}
