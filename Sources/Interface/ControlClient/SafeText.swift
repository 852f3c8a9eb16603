public import JSON
public import Time

/// Text that can go to a terminal: what was written in this program, and the rest escaped.
///
/// Everything that is printed has this type, and interpolation escapes, so that nothing from outside gets through
/// unseen: no escape sequence, no line break, no text that runs backwards.
public struct SafeText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// The text as it is printed.
  public let text: String

  private init(trusted text: String) { self.text = text }

  /// A text of the program's own.
  public init(stringLiteral value: String) { text = value }

  /// A value as one line of JSON, in which the characters in question are written as escapes.
  public init(_ value: JSON) { text = Self.escape(value.text) }

  /// Text of the program's own with values, which are escaped.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Collects the parts of an interpolated text.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Takes the program's own words as they are.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    public mutating func appendInterpolation(_ value: some StringProtocol) {
      text += SafeText.escape(String(value))
    }

    /// Takes text that is safe already.
    public mutating func appendInterpolation(_ value: SafeText) { text += value.text }

    /// Takes an instant as a person reads it.
    public mutating func appendInterpolation(_ value: Timestamp) { text += value.localText }

    public mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
  }

  /// The text, filled with spaces up to a width.
  public func padded(to width: Int) -> SafeText {
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
  public func joined(separator: SafeText) -> SafeText {
    reduce(nil as SafeText?) { text, next in text.map { "\($0)\(separator)\(next)" } ?? next } ?? ""
  }
}

extension SafeText {
  /// How many columns the text takes on a terminal; what steers it takes none.
  public var columns: Int { TextWidth.columns(of: text) }
}

/// How wide text is where every character has a fixed width.
public enum TextWidth {
  /// The columns of a text, in which sequences of CSI are skipped.
  public static func columns(of text: some StringProtocol) -> Int {
    // Nearly all of what is shown is this.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
    var (columns, isInSequence) = (0, false)
    for character in text {
      if isInSequence {
        isInSequence = character == "[" || !character.isASCII || !("@"..."~").contains(character)
      } else if character == "\u{1B}" {
        isInSequence = true
      } else {
        columns += width(of: character)
      }
    }
    return columns
  }

  /// The columns of a character, which its first scalar decides: what is joined to it stands in the same place.
  public static func width(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // A selector asks for the picture, and flags and keycaps are pictures.
    let isPicture =
      first.properties.isEmojiPresentation || character.unicodeScalars.contains { $0 == "\u{FE0F}" }
      || (0x1F1E6...0x1F1FF).contains(first.value) && character.unicodeScalars.count > 1
    if isPicture || isWide(first) { return 2 }
    return takesNoPlace(first) ? 0 : 1
  }

  private static func takesNoPlace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: true
    // The vowels and final consonants of Hangul, which join the syllable before them.
    default: (0x1160...0x11FF).contains(scalar.value)
    }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x1100 else { return false }
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(scalar.value)
  }

  /// East Asian Wide and Fullwidth, UAX #11, with what is unassigned between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
