internal import ControlAPI
internal import JSON

// Fields for one or several options.

extension FieldForm {
  private static let maximumChoices = 512

  /// DROPDOWN, RADIO and SINGLE_SELECT: one of several options.
  static func singleSelect(_ field: DaVinciField) -> FieldForm {
    choice(field, "SingleSelectCollector", field.valueOptions)
  }

  /// DEVICE_REGISTRATION: the kind of device to set up.
  static func deviceRegistration(_ field: DaVinciField) -> FieldForm {
    choice(field, "DeviceRegistrationCollector", field.deviceOptions("type").map(\.option))
  }

  /// Creates a field that accepts one of its options.
  private static func choice(
    _ field: DaVinciField,
    _ type: String,
    _ options: [Collector.Option]
  ) -> FieldForm {
    let values = Set(options.map(\.value))
    var collector = field.collector(type)
    collector.options = options
    // The form's initial choice, if it is an option.
    collector.value = field.initial?.string.flatMap { values.contains($0) ? .string($0) : nil }
    let input = Input(standing: collector.value) { input throws(InvalidInput) in
      guard let text = input.string else { throw .notText }
      if text.isEmpty { return nil }
      guard values.contains(text) else { throw .noOption }
      return input
    }
    return FieldForm(field, collector, input)
  }

  /// CHECKBOX, COMBOBOX and MULTI_SELECT: any number of options.
  ///
  /// A combo box also accepts other texts.
  static func multiSelect(_ field: DaVinciField) -> FieldForm {
    let options = field.valueOptions
    let values = Set(options.map(\.value))
    let isOpen = field.type == "COMBOBOX"
    var collector = field.collector("MultiSelectCollector")
    collector.options = options
    // The form's initial choices as a list. Older pages write a single choice as text.
    let texts = field.initial?.array?.compactMap(\.string) ?? [field.initial?.string].compactMap { $0 }
    let kept = texts.filter { (isOpen || values.contains($0)) && !$0.isEmpty }
    collector.value = kept.isEmpty ? nil : .strings(kept)
    let input = Input(standing: collector.value) { input throws(InvalidInput) in
      let list = list(input)
      guard list.count <= maximumChoices else { throw .noOption }
      var texts: [String] = []
      for element in list {
        guard let text = element.string else { throw .notText }
        if text.isEmpty { continue }
        guard isOpen || values.contains(text) else { throw .noOption }
        texts.append(text)
      }
      return texts.isEmpty ? nil : .strings(texts)
    }
    return FieldForm(field, collector, input)
  }

  /// Returns the input as a list; a text can be a JSON list or a single option.
  private static func list(_ input: JSON) -> [JSON] {
    if let list = input.array { return list }
    if let text = input.string, text.hasPrefix("["), let list = try? JSON(parsing: text).array {
      return list
    }
    return [input]
  }

  /// DEVICE_AUTHENTICATION: one of the user's devices, with which to sign on.
  ///
  /// The input is the device's identifier. The value that is sent also has the device's type and description.
  static func deviceAuthentication(_ field: DaVinciField) -> FieldForm {
    let options = field.deviceOptions("id")
    var collector = field.collector("DeviceAuthenticationCollector")
    collector.options = options.map(\.option)
    // The form's initial device or, without one, the default device.
    let first = field.initial?["id"]?.string ?? field.initial?.string
    let chosen = options.first { $0.option.value == first } ?? options.first { $0.json["default"] == true }
    collector.value = chosen.map { .string($0.option.value) }
    let input = Input(standing: collector.value) { input throws(InvalidInput) in
      guard let id = input["id"]?.string ?? input.string else { throw .notText }
      if id.isEmpty { return nil }
      guard let device = options.first(where: { $0.option.value == id })?.json else { throw .noOption }
      var value: JSONObject = [:]
      for name in ["type", "id", "description"] {
        if let member = device[name], !member.isNull { value[name] = member }
      }
      return .object(value)
    }
    return FieldForm(field, collector, input)
  }
}

extension DaVinciField {
  fileprivate var valueOptions: [Collector.Option] {
    options("value") { [$0["label"]?.string] }.map(\.option)
  }

  fileprivate func deviceOptions(_ value: String) -> [(option: Collector.Option, json: JSON)] {
    options(value) { [$0["title"]?.string, $0["description"]?.string] }
  }
}
