internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Text

extension Prompt {
  /// Country, number and, if the field has one, extension.
  static let phoneNumber = Prompt(
    ask: { (field, questions) throws(FormExit) in
      let known = field.phoneNumber
      var country = field
      country.preset = known.country
      let countryPrompt: SafeText = "\(field.label), country (two letters, as GB)"
      let code = try questions.answer(country, country.with(countryPrompt), wrong: "enter two letters") {
        countryCode($0)
      }
      var number = field
      number.preset = known.number
      guard let digits = try questions.answer(number, number.with(field.label), { .string($0) }) else {
        return nil
      }
      var value: JSONObject = ["phoneNumber": digits]
      value["countryCode"] = code
      if field.raw("showExtension") == true {
        let name: SafeText = field.raw("extensionLabel")?.string.map { Markup.line($0) } ?? "Extension"
        let line = try questions.line("\(name) (Enter for none)")
        if !line.isEmpty { value["extension"] = .string(line) }
      }
      return .object(value)
    },
    value: { _, text in phoneNumber(text) }
  )

  private static func countryCode(_ text: String) -> JSON? {
    guard text.utf8.count == 2, text.utf8.allSatisfy(\.isASCIILetter) else { return nil }
    return .string(text.uppercased())
  }

  /// Converts an object in the daemon's form, or `GB 7700 900123`.
  private static func phoneNumber(_ text: String) -> JSON? {
    if let value = try? JSON(parsing: text) { return value.object == nil ? nil : value }
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let country = countryCode(String(words[0])) else { return nil }
    return ["countryCode": country, "phoneNumber": .string(String(words[1]))]
  }
}

extension FormField {
  fileprivate func with(_ prompt: SafeText) -> SafeText {
    guard let preset else { return prompt }
    return "\(prompt) [\(Describe.value(preset))]"
  }
}
