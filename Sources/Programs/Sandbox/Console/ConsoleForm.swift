/// What a form of the console was filled in with.
struct ConsoleForm {
  /// The name of the field that shows that the form is one of the session's.
  static let token = "token"

  private let values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  /// The text of a field; `nil` if it was left empty.
  func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether a box was ticked.
  func isTicked(_ name: String) -> Bool { values[name] != nil }

  /// The number in a field; `nil` if it was left empty.
  func int(_ name: String) throws(Refusal) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text) else { throw .invalid(name, "must be a number") }
    return number
  }
}
