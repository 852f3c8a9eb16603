internal import ControlAPI
internal import JSON
internal import Text

/// Errors in the input to a page.
struct DaVinciProblem: Error, Sendable {
  /// Message for the user.
  let message: String
  /// Errors of single fields, by field key or by the server's name for the field.
  let fields: [(target: String, message: String)]

  private static let maximumRequirements = 16

  /// Creates the errors for invalid input, which was not sent to the server.
  init(_ wrong: [(field: DaVinciField, InvalidInput)]) {
    fields = wrong.map { ($0.field.key, $0.1.message) }
    let only = wrong.count == 1 ? wrong.first : nil
    let problem = only.map { "\($0.field.name): \($0.1.message)" }
    message = "\(problem ?? "something is missing or wrong"); nothing was sent"
  }

  /// Creates the errors from a server response, with the server's texts if it contains any.
  init(_ json: JSON) {
    let details = json["details"]?.array ?? []
    let responses = details.map { $0["rawResponse"] ?? $0 } + [json]
    fields = Array(
      responses.lazy.filter { $0["code"] == "INVALID_DATA" }.flatMap { $0["details"]?.array ?? [] }
        .compactMap(Self.field).prefix(SignOnPage.maximumFields)
    )
    let notes = details.lazy.filter { $0["target"] == nil }.compactMap { $0["message"]?.string }
    let texts =
      [Self.message(of: json) ?? "the server did not accept this"] + notes.prefix(SignOnPage.maximumFields)
    message = DisplayText.clean(texts.joined(separator: ": "), maximum: DisplayText.bodyLength)
  }

  /// Returns the message for users in a server response.
  static func message(of json: JSON) -> String? {
    for name in ["message", "errorMessage", "code"] {
      if let text = json[name]?.string.flatMap({ DisplayText.trimmed($0, maximum: DisplayText.bodyLength) }) {
        return text
      }
    }
    return nil
  }

  private static func field(_ detail: JSON) -> (String, String)? {
    guard let target = detail["target"]?.string, !target.isEmpty else { return nil }
    let error = detail["innerError"]
    var text = requirements(error) ?? detail["message"]?.string ?? "this is not right"
    if let left = error?["failuresRemaining"]?.int { text += " (tries left: \(left))" }
    return DisplayText.trimmed(text, maximum: DisplayText.bodyLength).map { (target, $0) }
  }

  /// Returns the unmet requirements of a value; `nil` if the response lists none.
  ///
  /// Each is the server's text for it, or its name if there is no text or the message would become too long.
  private static func requirements(_ error: JSON?) -> String? {
    var seen: Set<String> = []
    let names = (error?["unsatisfiedRequirements"]?.array ?? []).prefix(maximumRequirements)
      .compactMap { $0.string.flatMap { DisplayText.trimmed($0) } }.filter { seen.insert($0).inserted }
    var room = DisplayText.bodyLength - names.joined(separator: "; ").count
    let texts = names.map { name in
      guard let text = error?[name]?.string.flatMap({ DisplayText.trimmed($0) }), text.count <= room else {
        return name
      }
      room -= text.count
      return text
    }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }

  /// Returns the index of the collector for the target of an error.
  ///
  /// The collector's key equals the target. For attributes, the longer of the two may instead end with a dot
  /// and the shorter.
  func index(of target: String, in collectors: [Collector]) -> Int? {
    collectors.firstIndex { $0.key == target }
      ?? collectors.firstIndex { $0.key.hasSuffix("." + target) || target.hasSuffix("." + $0.key) }
  }
}
