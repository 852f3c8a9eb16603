internal import JSON

/// The claims of a push, which are all texts: one of digits stays a text, and JSON is within one.
struct AMPushClaims {
  private let claims: JSONObject

  private static let known = ["c", "d", "i", "k", "l", "m", "n", "p", "t", "u", "x"]
  private static let deepest = 16

  init(_ claims: JSONObject) { self.claims = claims }

  /// Whether every claim that is known is a text.
  var areTexts: Bool { Self.known.allSatisfy { claims[$0].map { $0.string != nil } ?? true } }

  /// The text of a claim; an empty one is none.
  subscript(_ name: String) -> String? { claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// The object in the text of a claim, to be handed on; `nil` if there is none or nothing in it.
  func embedded(_ name: String) -> JSON? {
    guard let text = self[name], let json = try? JSON(parsing: text, maximumDepth: Self.deepest),
      let object = json.object, !object.isEmpty
    else { return nil }
    return json.bounded
  }
}
