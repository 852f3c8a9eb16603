internal import ControlAPI
internal import ControlClient
internal import JSON

// Access to the server's own description of a field, which the interface passes on unchanged.

extension FormField {
  func raw(_ name: String) -> JSON? { collector.raw?[name] }

  /// Returns an output value of a journey's callback.
  func output(_ name: String) -> JSON? {
    collector.raw?["output"]?.array?.first { $0["name"]?.string == name }?["value"]
  }

  /// The preset phone number.
  ///
  /// Older servers send it as text.
  var phoneNumber: (country: JSON?, number: JSON?) {
    let usual = raw("defaultCountryCode").flatMap { $0.isNull ? nil : $0 }
    if case .string? = preset { return (usual, preset) }
    let parts = (preset?.object ?? [:]).members.filter { $0.value.string?.isEmpty == false }
    let known = JSONObject(parts.map { ($0.name, $0.value) })
    return (known["countryCode"] ?? usual, known["phoneNumber"])
  }
}

/// Splits a technical name, such as the key of a field, into words.
enum RawName {
  /// Returns `user.givenName` as "Given name"; a name in capitals or with digits stays unchanged.
  static func words(_ name: String) -> SafeText {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    var words: [String] = []
    for character in last {
      if character == "_" || character == "-" || character == " " {
        words.append("")
      } else if character.isUppercase, words.last?.last?.isLowercase == true {
        words.append(character.lowercased())
      } else if words.isEmpty {
        words.append(String(character))
      } else {
        words[words.count - 1].append(character)
      }
    }
    let text = words.filter { !$0.isEmpty }.joined(separator: " ")
    return "\(text.prefix(1).uppercased() + text.dropFirst())"
  }
}
