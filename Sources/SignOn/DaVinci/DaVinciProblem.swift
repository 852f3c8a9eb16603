internal import Authenticator
internal import ControlAPI
internal import JSON

/// What was wrong with the answers to a page.
struct DaVinciProblem: Error, Sendable, Equatable {
  /// What a person has to know.
  let message: String
  /// What is wrong with single fields, by their keys or by what the server calls them.
  let fields: [(target: String, message: String)]

  private static let maximumFields = 64
  private static let maximumRequirements = 16

  /// Answers that were not even sent.
  init(_ fields: [(String, WrongAnswer)]) {
    message = "something is missing or wrong; nothing was sent"
    self.fields = fields.map { ($0.0, $0.1.message) }
  }

  /// What the server answered; its own words where it has any.
  init(_ json: JSON) {
    message = Self.message(of: json) ?? "the server did not accept this"
    let details = (json["details"]?.array ?? []) + [json]
    fields = Array(
      details.lazy.map { $0["rawResponse"] ?? $0 }.filter { $0["code"] == "INVALID_DATA" }
        .flatMap { $0["details"]?.array ?? [] }.compactMap(Self.field).prefix(Self.maximumFields)
    )
  }

  /// What an answer of the server says to a person.
  static func message(of json: JSON) -> String? {
    for name in ["message", "errorMessage", "code"] {
      if let text = json[name]?.string.flatMap({ SafeText.trimmed($0, maximum: SafeText.bodyLength) }) {
        return text
      }
    }
    return nil
  }

  private static func field(_ detail: JSON) -> (String, String)? {
    guard let target = detail["target"]?.string, !target.isEmpty else { return nil }
    let error = detail["innerError"]
    var seen: Set<String> = []
    let requirements = (error?["unsatisfiedRequirements"]?.array ?? []).prefix(maximumRequirements)
      .compactMap(\.string).filter { seen.insert($0).inserted }
    // The requirements say more than that there are some.
    let texts = requirements.compactMap { error?[$0]?.string.flatMap { SafeText.trimmed($0) } }
    var text = texts.isEmpty ? detail["message"]?.string ?? "this is not right" : texts.joined(separator: " ")
    if let left = error?["failuresRemaining"]?.int { text += " (tries left: \(left))" }
    return SafeText.trimmed(text, maximum: SafeText.bodyLength).map { (target, $0) }
  }

  /// Which collector a target is: the key, or the attribute of the user at its end.
  func index(of target: String, in collectors: [Collector]) -> Int? {
    collectors.firstIndex { $0.key == target }
      ?? collectors.firstIndex { $0.key.hasSuffix("." + target) || target.hasSuffix("." + $0.key) }
  }

  static func == (left: DaVinciProblem, right: DaVinciProblem) -> Bool {
    left.message == right.message && left.fields.elementsEqual(right.fields, by: ==)
  }
}
