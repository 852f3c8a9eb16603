internal import ControlAPI
internal import JSON

/// METADATA: what the flow's author wants a program to know, and may want to hear back.
struct MetadataField: InputField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = description.collector("MetadataCollector")
    collector.value = description.json["payload"]?.bounded
    collector.raw = description.raw
    return collector
  }

  // What is shown is not what would be answered.
  var standing: JSON? { nil }

  var actionKey: String? { description.key }

  func value(of input: JSON) throws(InvalidInput) -> JSON? { structured(input) }
}

/// A field of a kind that is not known: shown as it came, answered as the caller says.
struct UnknownField: InputField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = description.collector("UnknownCollector")
    (collector.value, collector.raw) = (standing, description.raw)
    return collector
  }

  var standing: JSON? { description.initial?.bounded }

  func value(of input: JSON) throws(InvalidInput) -> JSON? { structured(input) }
}

/// A field that wants input but has no key to give it by: shown as it came.
struct KeylessField: FormField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = Collector(key: description.key, type: "UnknownCollector", label: description.label)
    // A pairing key is a secret, also where nobody can choose to pair.
    collector.raw = description.json["pairingKey"] == nil ? description.raw : nil
    return collector
  }
}

/// PROTECT: what a browser would tell of itself and of how it is used, of which nothing is collected here.
struct ProtectField: FormField {
  let description: FieldDescription

  static let needsKey = false

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = Collector(
      key: description.key,
      type: "ProtectCollector",
      label: "Risk signals: not collected"
    )
    collector.raw = description.raw
    return collector
  }
}

/// Any value; text that is an object or a list stands for it.
private func structured(_ input: JSON) -> JSON? {
  guard let text = input.string else { return input.isNull ? nil : input }
  if text.isEmpty { return nil }
  guard text.hasPrefix("{") || text.hasPrefix("["), let value = try? JSON(parsing: text) else {
    return input
  }
  return value
}
