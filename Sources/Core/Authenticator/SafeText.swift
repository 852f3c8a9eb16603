package import JSON

/// Text from outside that is meant for a person, made fit to be shown.
package enum SafeText {
  /// The most characters of a name, title or label.
  package static let standardLength = 200
  /// The most characters of the body of a push.
  package static let bodyLength = 400

  /// The text without control and bidirectional-override characters, cut to so many characters.
  package static func clean(_ text: String, maximum: Int = standardLength) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where isAllowed(scalar) {
      kept.append(scalar)
      // Combining marks make characters of any length; four scalars for each are plenty.
      if kept.count >= maximum * 4 { break }
    }
    return String(String(kept).prefix(maximum))
  }

  /// The most bytes of a context, which nobody cleans.
  private static let longestContext = 8 * 1024

  /// A context exactly as it came; none at all and one that is longer than a context may be are left out.
  package static func bounded(_ context: JSON?) -> JSON? {
    guard let context, !context.isNull, context.serialized.count <= longestContext else { return nil }
    return context
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .lineSeparator, .paragraphSeparator: false
    case .format: !isDirectional(scalar) && scalar.value != 0xFEFF && scalar.value < 0xE0000
    default: true
    }
  }

  /// Marks, embeddings, overrides and isolates of UAX #9, with which text can be made to look like another.
  private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
