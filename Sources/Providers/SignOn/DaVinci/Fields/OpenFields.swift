internal import ControlAPI
internal import JSON

// Fields that take any value.

extension FieldForm {
  /// METADATA: what the flow's author wants a program to know, and may want to hear back.
  static func metadata(_ field: DaVinciField) -> FieldForm {
    var collector = field.collector("MetadataCollector")
    (collector.value, collector.raw) = (field.json["payload"]?.bounded, field.raw)
    // What is shown is not what would be answered.
    return FieldForm(field, collector, Input(standing: nil, actionKey: field.key, value: structured))
  }

  /// A field of a kind that is not known: shown as it came, answered as the caller says.
  static func unknown(_ field: DaVinciField) -> FieldForm {
    var collector = field.collector("UnknownCollector")
    (collector.value, collector.raw) = (field.initial?.bounded, field.raw)
    return FieldForm(field, collector, Input(standing: collector.value, value: structured))
  }

  /// Any value; text that is an object or a list stands for it.
  private static func structured(_ input: JSON) -> JSON? {
    guard let text = input.string else { return input.isNull ? nil : input }
    if text.isEmpty { return nil }
    guard text.hasPrefix("{") || text.hasPrefix("["), let value = try? JSON(parsing: text) else {
      return input
    }
    return value
  }
}
