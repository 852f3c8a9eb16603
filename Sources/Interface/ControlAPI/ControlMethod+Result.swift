package import JSON

extension ControlMethod {
  package static var envelope: Shape<Result>? { nil }

  /// What a result has to be.
  package static var resultSchema: Schema { envelope?.schema ?? Result.schema }

  /// Writes the result of a call.
  package static func write(_ result: Result, to writer: inout JSONWriter) {
    if let envelope { envelope.write(result, to: &writer) } else { result.write(to: &writer) }
  }

  /// The result of a call as a tree.
  package static func json(of result: Result) -> JSON { JSON { write(result, to: &$0) } }

  /// Reads the result of a call.
  package static func result(reading json: JSON) throws(UnreadableValue) -> Result {
    guard let envelope else { return try Result(reading: json) }
    return try envelope.read(JSONObject(reading: json))
  }
}

extension Shape where Root: ControlValue {
  /// An object that holds one value under a name.
  static func member(_ name: String, as schema: Schema = Root.schema, _ meaning: String) -> Shape {
    Shape({ @Sendable (value: Root) in value }, .required(name, { @Sendable in $0 }, as: schema, meaning))
  }
}
