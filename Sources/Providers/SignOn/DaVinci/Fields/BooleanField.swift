internal import Authenticator
internal import ControlAPI
internal import JSON
internal import Text

/// SINGLE_CHECKBOX: yes or no, which is always said.
struct BooleanField: AnswerField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = description.collector("BooleanCollector")
    if let text = RichText.text(of: description) {
      (collector.label, collector.raw) = (text, description.raw)
    }
    collector.value = standing
    collector.validation = message.map { Collector.Validation(pattern: nil, message: $0) }
    return collector
  }

  var standing: JSON? { .bool(description.initial.flatMap(Self.flag) ?? false) }

  func value(of answer: JSON) throws(WrongAnswer) -> JSON? {
    guard let flag = Self.flag(answer) else { throw WrongAnswer("this has to be yes or no") }
    return .bool(flag)
  }

  /// What is needed is a yes.
  func complaint(_ value: JSON?) -> WrongAnswer? {
    value == true ? nil : message.map { WrongAnswer($0) } ?? .missing
  }

  private var message: String? { description.text("errorMessage", maximum: DisplayText.bodyLength) }

  private static func flag(_ json: JSON) -> Bool? {
    json.bool ?? json.string.flatMap { ["true": true, "false": false][$0] }
  }
}
