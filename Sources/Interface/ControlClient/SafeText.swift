package import JSON
package import Time

/// Text that can go to a terminal: what was written in this program, and the rest escaped.
///
/// Everything that is printed has this type, and interpolation escapes, so that nothing from outside gets through
/// unseen: no escape sequence, no line break, no text that runs backwards.
package struct SafeText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// The text as it is printed.
  package let text: String

  private init(trusted text: String) { self.text = text }

  /// A text of the program's own.
  package init(stringLiteral value: String) { text = value }

  /// A value as one line of JSON, in which the characters in question are written as escapes.
  package init(_ value: JSON) { text = Self.escape(value.text) }

  /// Text of the program's own with values, which are escaped.
  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Collects the parts of an interpolated text.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Takes the program's own words as they are.
    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ value: some StringProtocol) {
      text += SafeText.escape(String(value))
    }

    /// Takes text that is safe already.
    package mutating func appendInterpolation(_ value: SafeText) { text += value.text }

    /// Takes an instant as a person reads it.
    package mutating func appendInterpolation(_ value: Timestamp) { text += value.localText }

    package mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
  }

  /// The text, filled with spaces up to a width.
  package func padded(to width: Int) -> SafeText {
    SafeText(trusted: text + String(repeating: " ", count: max(0, width - columns)))
  }

  private static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      case _ where isUnsafe(scalar):
        // Surrogates, as in JSON: the result is JSON again if it was before.
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Controls, what formats invisibly (direction among it), separators of lines and what is no character; not the
  /// joiners, which Persian, Indic scripts and emoji need.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    if scalar == "\u{200C}" || scalar == "\u{200D}" { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    case .unassigned: return scalar.properties.isNoncharacterCodePoint
    default: return false
    }
  }
}

extension Sequence<SafeText> {
  /// The texts with a separator between them.
  package func joined(separator: SafeText) -> SafeText {
    reduce(nil as SafeText?) { text, next in text.map { "\($0)\(separator)\(next)" } ?? next } ?? ""
  }
}
