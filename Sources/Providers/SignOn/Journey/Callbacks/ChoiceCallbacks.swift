internal import ControlAPI
internal import JSON
internal import Text

// Callbacks for one of several options.

extension CallbackForm {
  static func choice(_ callback: Callback) -> CallbackForm {
    let labels = callback.labels("choices")
    let options = labels.enumerated().map { (label: $0.element, number: $0.offset) }
    return selection(callback, options, preset: callback.output("defaultChoice"))
  }

  /// A confirmation without options of its own has the standard options of its type, with the numbers of
  /// Java's class `ConfirmationCallback`.
  static func confirmation(_ callback: Callback) -> CallbackForm {
    let labels = callback.labels("options")
    var options = labels.enumerated().map { (label: $0.element, number: $0.offset) }
    if options.isEmpty { options = standardOptions[callback.output("optionType")?.int ?? -1] ?? [] }
    return selection(callback, options, preset: callback.output("defaultOption"))
  }

  private static let standardOptions = [
    0: [(label: "Yes", number: 0), (label: "No", number: 1)],
    1: [(label: "Yes", number: 0), (label: "No", number: 1), (label: "Cancel", number: 2)],
    2: [(label: "OK", number: 3), (label: "Cancel", number: 2)],
  ]

  private static func selection(
    _ callback: Callback,
    _ options: [(label: String, number: Int)],
    preset: JSON?
  ) -> CallbackForm {
    let form = InputForm.number(of: options.map(\.number))
    var field = callback.question(callback.text("prompt"), form: form)
    field.collector.options = options.map { Collector.Option(label: $0.label, value: String($0.number)) }
    field.collector.isRequired = !options.isEmpty && field.input != nil
    if !options.isEmpty {
      // Without a valid option in the preset or the input, nothing is chosen yet.
      field.standing = [preset, callback.inputs.first?.value].lazy.compactMap { $0.flatMap(form.wire) }.first
    }
    // The collector's value is text, like the values of its options.
    field.collector.value = field.standing.map { .string($0.text) }
    return CallbackForm(fields: [field])
  }

  /// Selects the identity provider; without the server's choice, the default is local accounts, if offered.
  static func providerChoice(_ callback: Callback) -> CallbackForm {
    let providers = (callback.output("providers")?.array ?? []).prefix(Callback.mostOptions)
    let options = providers.compactMap { provider -> Collector.Option? in
      guard let name = provider["provider"]?.string, !name.isEmpty, name.utf8.count <= 256 else { return nil }
      let label = provider["uiConfig"]?["buttonDisplayName"]?.string
      let standard = name == local ? "an account here" : name
      return Collector.Option(label: Callback.line(label ?? standard, maximum: 200), value: name)
    }
    var field = callback.question("Sign on with", form: .text(of: options.map(\.value)))
    field.collector.options = options
    field.collector.isRequired = !options.isEmpty && field.input != nil
    let preset = options.contains { $0.value == local } ? JSON.string(local) : nil
    field.standing = callback.given ?? callback.output("value")?.nonEmptyText ?? preset
    field.collector.value = field.standing
    return CallbackForm(fields: [field])
  }

  private static let local = "localAuthentication"
}

extension Callback {
  static let mostOptions = 256

  /// Returns the labels of options, in order.
  func labels(_ name: String) -> [String] {
    (output(name)?.array ?? []).prefix(Self.mostOptions).map { Self.line($0.string ?? $0.text, maximum: 200) }
  }
}

// Callbacks for an agreement.

extension CallbackForm {
  static func terms(_ callback: Callback) -> CallbackForm {
    let version = callback.text("version").map { " (version \($0))" } ?? ""
    let field = agreement(callback, "I accept the terms\(version)")
    guard field.collector.raw == nil, let terms = callback.output("terms")?.string else {
      return CallbackForm(fields: [field])
    }
    // If the raw callback is too long, the terms are shown as a separate text before the question.
    var text = Collector(key: callback.placeKey, type: "TextOutputCallback")
    text.value = .string(DisplayText.lines(terms))
    return CallbackForm(fields: [Field(collector: text), field])
  }

  static func consent(_ callback: Callback) -> CallbackForm {
    var field = agreement(callback, callback.text("message") ?? callback.text("displayName"))
    field.collector.isRequired = callback.output("isRequired") == true
    return CallbackForm(fields: [field])
  }

  /// Creates an agreement field, which is `false` until the user explicitly agrees.
  private static func agreement(_ callback: Callback, _ label: String?) -> Field {
    var field = callback.question(label, form: .truth)
    (field.collector.value, field.standing) = (false, false)
    field.collector.raw = callback.raw
    return field
  }
}
