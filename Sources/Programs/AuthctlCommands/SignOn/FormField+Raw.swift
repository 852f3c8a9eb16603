internal import ControlAPI
internal import JSON

// What stands in a server's own description of a field, which the interface hands on as it came.

extension FormField {
  func raw(_ name: String) -> JSON? { collector.raw?[name] }

  /// What a callback of a journey says under a name.
  func output(_ name: String) -> JSON? {
    collector.raw?["output"]?.array?.first { $0["name"]?.string == name }?["value"]
  }

  /// A telephone number that is there already, which older servers give as a text.
  var phoneNumber: (country: JSON?, number: JSON?) {
    let usual = raw("defaultCountryCode").flatMap { $0.isNull ? nil : $0 }
    if case .string? = preset { return (usual, preset) }
    let parts = (preset?.object ?? [:]).members.filter { $0.value.string?.isEmpty == false }
    let known = JSONObject(parts.map { ($0.name, $0.value) })
    return (known["countryCode"] ?? usual, known["phoneNumber"])
  }
}
