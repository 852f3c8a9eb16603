internal import ControlAPI
internal import JSON
internal import Text

/// LABEL: a text to read.
struct LabelField: FormField {
  let description: FieldDescription

  static let needsKey = false

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = Collector(key: description.key, type: "LabelCollector", label: description.label)
    let text =
      description.richText ?? description.text("content", maximum: DisplayText.bodyLength)
    collector.value = text.map { .string($0) }
    // What was cut or linked is whole there.
    let isPlain = description.json["richContent"] == nil && description.json["content"]?.string == text
    if !isPlain { collector.raw = description.raw }
    return collector
  }
}

/// AGREEMENT and READ_ONLY_TEXT: a longer text to read, with a heading.
struct AgreementField: FormField {
  let description: FieldDescription

  static let needsKey = false

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = Collector(key: description.key, type: "ReadOnlyTextCollector")
    let hasTitle = description.json["titleEnabled"] != false
    collector.label = (hasTitle ? description.text("title") : nil) ?? description.label
    // Nobody agrees to half a text.
    collector.value = description.json["content"]?.string.map { .string(DisplayText.lines($0)) }
    collector.raw = description.raw
    return collector
  }
}

/// ERROR_DISPLAY: the place where a browser shows what went wrong; here that stands beside the fields.
struct ErrorDisplayField: FormField {
  let description: FieldDescription

  static let needsKey = false

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? { nil }
}
