internal import ControlAPI
internal import JSON

/// One requirement of a policy for a value, with its parameters.
struct PolicyRule: Sendable {
  /// The server's name of the requirement.
  let name: String
  private let parameters: JSON

  private static let mostRules = 32

  private init(name: String, parameters: JSON?) {
    (self.name, self.parameters) = (name, parameters ?? [:])
  }

  /// Returns the requirements in a callback's policies.
  ///
  /// `policies` is a list of policies, or an object with this list and the names of all requirements.
  static func rules(of policies: JSON?) -> [PolicyRule] {
    let list = policies?.array ?? policies?["policies"]?.array ?? []
    let found = list.prefix(mostRules).lazy.flatMap { policy in
      (policy["policyRequirements"]?.array ?? []).lazy.compactMap { name in
        name.string.map { PolicyRule(name: $0, parameters: policy["params"]) }
      }
    }
    let details = Array(found.prefix(mostRules))
    let known = Set(details.map(\.name))
    let others = (policies?["policyRequirements"]?.array ?? []).prefix(mostRules).compactMap(\.string)
    return details + others.filter { !known.contains($0) }.map { PolicyRule(name: $0, parameters: nil) }
  }

  /// Returns the requirements that a value does not meet, from a list of objects, objects as text, or names.
  static func failures(_ failures: JSON?) -> [PolicyRule] {
    (failures?.array ?? []).prefix(mostRules).compactMap { failure in
      let object =
        failure.string.flatMap { try? JSON(parsing: $0) }.flatMap { $0.object.map { .object($0) } } ?? failure
      if let name = object["policyRequirement"]?.string {
        return PolicyRule(name: name, parameters: object["params"])
      }
      return object.string.map { PolicyRule(name: $0, parameters: nil) }
    }
  }

  /// Returns the message about requirements; `nil` without any.
  static func message(of rules: [PolicyRule]) -> String? {
    var texts: [String] = []
    for text in rules.map(\.text) where !texts.contains(text) { texts.append(text) }
    return texts.isEmpty ? nil : Callback.line(texts.joined(separator: "; "))
  }

  /// Returns the message about the rules, and a pattern if a client can check the value with one.
  static func validation(_ rules: [PolicyRule]) -> Collector.Validation? {
    let pattern = rules.first { $0.name == "MATCH_REGEXP" }.flatMap(\.pattern)
    let telling = rules.filter { !["REQUIRED", "UNIQUE", "VALID_TYPE"].contains($0.name) }
    guard let message = message(of: telling) else { return nil }
    return Collector.Validation(
      pattern: pattern.flatMap { $0.unicodeScalars.count <= 2048 ? $0 : nil },
      message: message
    )
  }

  /// The requirement as a sentence about the value; its name if mfad does not know the requirement.
  var text: String {
    guard let sentence = Self.sentences[name] else { return Callback.line(name, maximum: 100) }
    return sentence(self)
  }

  private static let sentences: [String: @Sendable (PolicyRule) -> String] = [
    "AT_LEAST_X_CAPITAL_LETTERS": { "must have at least \($0.count("numCaps", "capital letter"))" },
    "AT_LEAST_X_NUMBERS": { "must have at least \($0.count("numNums", "digit"))" },
    "CANNOT_CONTAIN_CHARACTERS": { "must not contain\($0.list("forbiddenChars"))" },
    "CANNOT_CONTAIN_DUPLICATES": { "must not repeat\($0.list("duplicateValue"))" },
    "CANNOT_CONTAIN_OTHERS": { "must not contain the value of\($0.list("disallowedFields"))" },
    "IS_NEW": { "must differ from the last \($0.number("historyLength"))" },
    "LENGTH_BASED": { _ in "must have another length" },
    "MATCH_REGEXP": { "must have the form\($0.list($0.patternName))" },
    "MAX_LENGTH": { "must have at most \($0.count("maxLength", "character"))" },
    "MIN_LENGTH": { "must have at least \($0.count("minLength", "character"))" },
    "REQUIRED": { _ in "must be given" },
    "UNIQUE": { _ in "must not be in use already" },
    "VALID_DATE": { _ in "must be a date" },
    "VALID_EMAIL_ADDRESS_FORMAT": { _ in "must be an e-mail address" },
    "VALID_PHONE_FORMAT": { _ in "must be a phone number" },
    "VALID_TYPE": { _ in "must be of another type" },
    "VALID_USERNAME": { _ in "must be a valid user name" },
  ]

  /// Name of the parameter with the pattern: directories use `regexp`, some of Ping's SDKs use `regex`.
  private var patternName: String { parameters["regexp"] == nil ? "regex" : "regexp" }

  /// The pattern for a value; `nil` if the pattern has flags, which would change its meaning.
  private var pattern: String? {
    guard parameters["flags"]?.string?.isEmpty ?? true else { return nil }
    return parameters[patternName]?.string
  }

  private func number(_ name: String) -> String {
    Callback.line(parameters[name].flatMap { $0.string ?? $0.int.map(String.init) } ?? "some", maximum: 20)
  }

  private func count(_ name: String, _ thing: String) -> String {
    let number = number(name)
    return number == "1" ? "1 \(thing)" : "\(number) \(thing)s"
  }

  private func list(_ name: String) -> String {
    guard let value = parameters[name] else { return " certain characters" }
    let parts = (value.array ?? [value]).prefix(16).compactMap(\.string)
    return " " + Callback.line(parts.joined(separator: ", "), maximum: 100)
  }
}
