internal import ControlAPI
internal import JSON
internal import Text

extension FieldForm {
  /// PHONE_NUMBER: a phone number and its country.
  static func phoneNumber(_ field: DaVinciField) -> FieldForm {
    var collector = field.collector("PhoneNumberCollector")
    (collector.value, collector.validation) = (field.initialNumber, field.validation)
    if field.takesExtension { collector.raw = field.raw }
    let input = Input(standing: collector.value) { input throws(InvalidInput) in
      try field.phoneNumber(input)
    }
    return FieldForm(field, collector, input)
  }
}

extension DaVinciField {
  private static let longestNumber = 64

  /// The form's initial number; older pages write it as text, without a country.
  fileprivate var initialNumber: JSON {
    let country = initial?["countryCode"]?.string.flatMap(Self.country)
    var number: JSONObject = [
      "countryCode": .string(country ?? standardCountry ?? ""),
      "phoneNumber": .string(initial?["phoneNumber"]?.string ?? initial?.string ?? ""),
    ]
    if takesExtension { number["extension"] = .string(initial?["extension"]?.string ?? "") }
    return .object(number)
  }

  fileprivate var takesExtension: Bool { json["showExtension"] == true }

  private var standardCountry: String? { json["defaultCountryCode"]?.string.flatMap(Self.country) }

  fileprivate func phoneNumber(_ input: JSON) throws(InvalidInput) -> JSON? {
    let parts = try Self.parts(input)
    let number = parts["phoneNumber"]?.string ?? ""
    let extra = parts["extension"]?.string ?? ""
    let given = parts["countryCode"]?.string ?? ""
    guard Set(parts.names).isSubset(of: ["countryCode", "phoneNumber", "extension"]),
      parts.members.allSatisfy({ $0.value.string != nil })
    else { throw InvalidInput("this has to be a country and a number") }
    if number.isEmpty, extra.isEmpty { return nil }
    guard let country = given.isEmpty ? standardCountry : Self.country(given) else {
      throw InvalidInput("this needs the two letters of a country")
    }
    guard !number.isEmpty else { throw .missing }
    guard number.utf8.count <= Self.longestNumber, extra.utf8.count <= Self.longestNumber else {
      throw InvalidInput("this number is too long")
    }
    guard extra.isEmpty || takesExtension else { throw InvalidInput("this number takes no extension") }
    var value: JSONObject = ["countryCode": .string(country), "phoneNumber": .string(number)]
    if !extra.isEmpty { value["extension"] = .string(extra) }
    return .object(value)
  }

  /// Returns the parts of an input: an object, its JSON text, a text like `GB 7700900123`, or only a number.
  private static func parts(_ input: JSON) throws(InvalidInput) -> JSONObject {
    if let object = input.object { return object }
    guard let text = input.string.map({ String($0.trimmed) }) else {
      throw InvalidInput("this has to be a country and a number")
    }
    if text.hasPrefix("{"), let object = try? JSON(parsing: text).object { return object }
    let words = text.split(separator: " ", maxSplits: 1).map { String($0) }
    if words.count == 2, country(words[0]) != nil {
      return ["countryCode": .string(words[0]), "phoneNumber": .string(words[1])]
    }
    return ["phoneNumber": .string(text)]
  }

  /// Returns a country code of ISO 3166-1 alpha-2 in upper case; `nil` if the text is not two letters.
  private static func country(_ text: String) -> String? {
    guard text.utf8.count == 2, text.utf8.allSatisfy(\.isASCIILetter) else { return nil }
    return text.uppercased()
  }
}
