internal import ControlAPI
internal import JSON

/// What a person types into a line: `:otp`, or with an account `:otp ID`, wants a passcode of this machine there.
enum TypedAnswer {
  private static let word = ":otp"

  /// The value of an answer; a second colon makes the word an answer like others.
  static func value(of text: String) -> JSON {
    if text == ":" + word { return .string(word) }
    let parts = text.split(separator: " ")
    guard parts.first == word[...], parts.count <= 2 else { return .string(text) }
    return OwnPasscode(account: parts.count == 2 ? String(parts[1]) : "").json
  }
}
