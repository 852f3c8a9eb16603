internal import ControlAPI
internal import JSON

/// DEVICE_REGISTRATION: which kind of device to set up.
struct DeviceRegistrationField: ChoiceField {
  let description: FieldDescription
  let options: ChoiceOptions

  static let collectorType = "DeviceRegistrationCollector"

  init(_ description: FieldDescription) {
    let options = description.options("type") { [$0["title"]?.string, $0["description"]?.string] }
    (self.description, self.options) = (description, ChoiceOptions(options.map(\.option)))
  }
}

/// DEVICE_AUTHENTICATION: with which of the person's devices to sign on.
///
/// The input is the device's id; what is sent is its type, id and description.
struct DeviceAuthenticationField: InputField {
  let description: FieldDescription

  private let options: [(option: Collector.Option, json: JSON)]

  init(_ description: FieldDescription) {
    self.description = description
    options = description.options("id") { [$0["title"]?.string, $0["description"]?.string] }
  }

  var collector: Collector? {
    var collector = description.collector("DeviceAuthenticationCollector")
    (collector.options, collector.value) = (options.map(\.option), standing)
    return collector
  }

  /// The device that the form begins with, else the one that is marked.
  var standing: JSON? {
    let first = description.initial?["id"]?.string ?? description.initial?.string
    let chosen = options.first { $0.option.value == first } ?? options.first { $0.json["default"] == true }
    return chosen.map { .string($0.option.value) }
  }

  func value(of input: JSON) throws(InvalidInput) -> JSON? {
    guard let id = input["id"]?.string ?? input.string else { throw .notText }
    if id.isEmpty { return nil }
    guard let device = options.first(where: { $0.option.value == id })?.json else { throw .noOption }
    var value: JSONObject = [:]
    for name in ["type", "id", "description"] {
      if let member = device[name], !member.isNull { value[name] = member }
    }
    return .object(value)
  }
}
