internal import JSON

/// What a person types who wants a passcode of this machine in a field: `:otp`, or with an account `:otp ID`.
enum OwnPasscode {
  private static let word = ":otp"

  /// The value of an answer; a second colon makes the word an answer like others.
  static func value(of text: String) -> JSON {
    if text == ":" + word { return .string(word) }
    let parts = text.split(separator: " ")
    guard parts.first == word[...], parts.count <= 2 else { return .string(text) }
    return ["passcode": .string(parts.count == 2 ? String(parts[1]) : "")]
  }
}
