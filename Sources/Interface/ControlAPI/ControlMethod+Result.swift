package import JSON

extension ControlMethod {
  package static var result: Shape<Answer>? { nil }

  /// What a result has to be.
  package static var resultSchema: Schema { result?.schema ?? Answer.schema }

  /// Writes the result of a call.
  package static func write(_ answer: Answer, to writer: inout JSONWriter) {
    if let result { result.write(answer, to: &writer) } else { answer.write(to: &writer) }
  }

  /// The result of a call as a tree.
  package static func json(of answer: Answer) -> JSON { JSON { write(answer, to: &$0) } }

  /// Reads the result of a call.
  package static func answer(reading json: JSON) throws(UnreadableValue) -> Answer {
    guard let result else { return try Answer(reading: json) }
    return try result.read(JSONObject(reading: json))
  }
}

extension Shape where Root: ControlValue {
  /// An object that holds one value under a name.
  static func member(_ name: String, as schema: Schema = Root.schema, _ meaning: String) -> Shape {
    Shape({ @Sendable (value: Root) in value }, .required(name, { @Sendable in $0 }, as: schema, meaning))
  }
}
