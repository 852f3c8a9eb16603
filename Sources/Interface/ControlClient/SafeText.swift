public import JSON
public import Time

/// Text that is safe to print on a terminal: literals of this program, and any other text escaped.
///
/// All printed text has this type, and interpolation escapes its values. So text from outside cannot contain
/// escape sequences, line breaks or changes of the text direction.
public struct SafeText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// The printed text.
  public let text: String

  private init(trusted text: String) { self.text = text }

  /// Takes a literal of the program.
  public init(stringLiteral value: String) { text = value }

  /// Takes a value as one line of JSON, with unsafe characters escaped.
  public init(_ value: JSON) { text = Self.escape(value.text) }

  /// Takes a literal of the program with values, which are escaped.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Collects the parts of an interpolated text.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Appends a literal of the program unchanged.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    public mutating func appendInterpolation(_ value: some StringProtocol) {
      text += SafeText.escape(String(value))
    }

    /// Appends text that is already safe.
    public mutating func appendInterpolation(_ value: SafeText) { text += value.text }

    /// Appends an instant in local time.
    public mutating func appendInterpolation(_ value: Timestamp) { text += value.localText }

    public mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
  }

  /// Returns the text, padded with spaces to a width.
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
        // Escapes each UTF-16 code unit as JSON does, so that escaped JSON is still valid JSON.
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// True for controls, invisible formatting (also of text direction), line separators and noncharacters.
  ///
  /// The zero-width joiner and non-joiner are safe: Persian, Indic scripts and emoji require them.
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
  /// Returns the texts, joined by a separator.
  public func joined(separator: SafeText) -> SafeText {
    reduce(nil as SafeText?) { text, next in text.map { "\($0)\(separator)\(next)" } ?? next } ?? ""
  }
}

extension SafeText {
  /// Number of terminal columns of the text; control sequences take none.
  public var columns: Int { TextWidth.columns(of: text) }
}

/// The width of text in terminal columns.
public enum TextWidth {
  /// Returns the columns of a text, without its CSI sequences.
  public static func columns(of text: some StringProtocol) -> Int {
    // The fast path: nearly all text is printable ASCII.
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

  /// Returns the columns of a character; its first scalar decides, because joined scalars share its columns.
  public static func width(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // A variation selector requests an emoji. Flags and keycaps are emoji too.
    let isPicture =
      first.properties.isEmojiPresentation || character.unicodeScalars.contains { $0 == "\u{FE0F}" }
      || (0x1F1E6...0x1F1FF).contains(first.value) && character.unicodeScalars.count > 1
    if isPicture || isWide(first) { return 2 }
    return takesNoPlace(first) ? 0 : 1
  }

  private static func takesNoPlace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: true
    // Vowels and final consonants of Hangul join the preceding syllable.
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

  /// The ranges East Asian Wide and Fullwidth of UAX #11, with the unassigned code points between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
