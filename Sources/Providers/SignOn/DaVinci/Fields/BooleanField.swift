internal import ControlAPI
internal import JSON
internal import Text

/// SINGLE_CHECKBOX: yes or no, which is always said.
struct BooleanField: InputField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = description.collector("BooleanCollector")
    if let text = description.richText {
      (collector.label, collector.raw) = (text, description.raw)
    }
    collector.value = standing
    collector.validation = message.map { Collector.Validation(pattern: nil, message: $0) }
    return collector
  }

  var standing: JSON? { .bool(description.initial.flatMap(Self.flag) ?? false) }

  func value(of input: JSON) throws(InvalidInput) -> JSON? {
    guard let flag = Self.flag(input) else { throw InvalidInput("this has to be yes or no") }
    return .bool(flag)
  }

  /// What is needed is a yes.
  func complaint(_ value: JSON?) -> InvalidInput? {
    value == true ? nil : message.map { InvalidInput($0) } ?? .missing
  }

  private var message: String? { description.text("errorMessage", maximum: DisplayText.bodyLength) }

  private static func flag(_ json: JSON) -> Bool? {
    json.bool ?? json.string.flatMap { ["true": true, "false": false][$0] }
  }
}
