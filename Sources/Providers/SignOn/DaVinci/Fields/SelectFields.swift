internal import ControlAPI
internal import JSON

/// A field that takes one of its options.
protocol ChoiceField: InputField {
  static var collectorType: String { get }
  var options: ChoiceOptions { get }
}

extension ChoiceField {
  var collector: Collector? {
    var collector = description.collector(Self.collectorType)
    (collector.options, collector.value) = (options.all, standing)
    return collector
  }

  /// The form's first choice, unless it is none.
  var standing: JSON? {
    guard let text = description.initial?.string, options.contains(text) else { return nil }
    return .string(text)
  }

  func value(of input: JSON) throws(InvalidInput) -> JSON? {
    guard let text = input.string else { throw .notText }
    if text.isEmpty { return nil }
    guard options.contains(text) else { throw .noOption }
    return input
  }
}

/// DROPDOWN and RADIO: one of several options.
struct SingleSelectField: ChoiceField {
  let description: FieldDescription
  let options: ChoiceOptions

  static let collectorType = "SingleSelectCollector"

  init(_ description: FieldDescription) {
    (self.description, options) = (description, valueOptions(description))
  }
}

/// CHECKBOX and COMBOBOX: any of several options; a combo box also takes what a person writes.
struct MultiSelectField: InputField {
  let description: FieldDescription

  private let options: ChoiceOptions

  private static let maximumChoices = 512

  init(_ description: FieldDescription) {
    (self.description, options) = (description, valueOptions(description))
  }

  var collector: Collector? {
    var collector = description.collector("MultiSelectCollector")
    (collector.options, collector.value) = (options.all, standing)
    return collector
  }

  /// The form's first choice as a list; older pages write a single one as text.
  var standing: JSON? {
    let texts =
      description.initial?.array?.compactMap(\.string) ?? [description.initial?.string].compactMap { $0 }
    let kept = texts.filter { isAllowed($0) && !$0.isEmpty }
    return kept.isEmpty ? nil : .strings(kept)
  }

  func value(of input: JSON) throws(InvalidInput) -> JSON? {
    let list = list(input)
    guard list.count <= Self.maximumChoices else { throw .noOption }
    var texts: [String] = []
    for element in list {
      guard let text = element.string else { throw .notText }
      if text.isEmpty { continue }
      guard isAllowed(text) else { throw .noOption }
      texts.append(text)
    }
    return texts.isEmpty ? nil : .strings(texts)
  }

  /// A list, or text that stands for it: a list written as JSON, or one option.
  private func list(_ input: JSON) -> [JSON] {
    if let list = input.array { return list }
    if let text = input.string, text.hasPrefix("["), let list = try? JSON(parsing: text).array {
      return list
    }
    return [input]
  }

  private func isAllowed(_ text: String) -> Bool {
    description.type == "COMBOBOX" || options.contains(text)
  }
}

private func valueOptions(_ description: FieldDescription) -> ChoiceOptions {
  ChoiceOptions(description.options("value") { [$0["label"]?.string] }.map(\.option))
}
