/// Sanitises external text for display: removes characters that control a terminal or the text direction, and
/// limits the length.
public enum DisplayText {
  /// Maximum length of a name, title or label in characters.
  public static let standardLength = 200
  /// Maximum length of the body of a push in characters.
  public static let bodyLength = 400

  /// Returns the text without controls, bidirectional overrides and noncharacters, truncated to `maximum`
  /// characters.
  public static func clean(_ text: String, maximum: Int = standardLength) -> String {
    ascii(text.utf8, maximum, isLine: false) ?? clean(text.unicodeScalars, maximum)
  }

  /// Returns the sanitised text as one line of at most `maximum` characters.
  public static func line(_ text: some StringProtocol, maximum: Int) -> String {
    // With a Substring, the compiler specialises the code. A generic sequence costs ten times as much.
    let text = Substring(text)
    if let line = ascii(text.utf8, maximum, isLine: true) { return line }
    let characters = text.lazy.map { $0.isNewline || $0 == "\t" ? " " : $0 }
    return clean(characters.flatMap(\.unicodeScalars), maximum)
  }

  /// Returns the same as `clean` or `line`, about twelve times as fast, for text that begins with enough
  /// ASCII characters; `nil` for other text.
  private static func ascii(_ text: some Sequence<UInt8>, _ maximum: Int, isLine: Bool) -> String? {
    var kept: [UInt8] = []
    var last: UInt8 = 0
    for byte in text {
      guard byte < 0x80 else { return nil }
      let allowed: UInt8? =
        switch byte {
        case 0x20...0x7E: byte
        case 0x0A where last == 0x0D: nil
        case 0x09...0x0D: isLine ? 0x20 : nil
        default: nil
        }
      last = byte
      guard let allowed else { continue }
      // The next character is needed, because a combining mark would belong to the last one.
      guard kept.count < maximum else { break }
      kept.append(allowed)
    }
    return String(decoding: kept, as: UTF8.self)
  }

  /// Returns the allowed scalars, up to `maximum` characters; reads no more of the text than necessary.
  private static func clean(_ scalars: some Sequence<Unicode.Scalar>, _ maximum: Int) -> String {
    var kept = String.UnicodeScalarView()
    // With combining marks a character can have any length, so the result has at most four scalars per
    // character on average.
    var room = maximum * 4
    for scalar in scalars where isAllowed(scalar) {
      kept.append(scalar)
      room -= 1
      if room == 0 { break }
    }
    return String(String(kept).prefix(maximum))
  }

  /// Returns the sanitised text as one line without surrounding white space; `nil` if nothing is left.
  public static func trimmed(_ text: String, maximum: Int = standardLength) -> String? {
    let text = line(text.trimmed, maximum: maximum)
    return text.isEmpty ? nil : text
  }

  /// Maximum number of lines that `lines` returns, and of characters in each line.
  private static let longestText = (lines: 2000, line: 4000)

  /// Returns the sanitised text with its line breaks.
  public static func lines(_ text: String) -> String {
    let lines = text.split(
      maxSplits: longestText.lines,
      omittingEmptySubsequences: false,
      whereSeparator: \.isNewline
    )
    return lines.prefix(longestText.lines).map { line($0, maximum: longestText.line) }
      .joined(separator: "\n")
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    guard !isBlankLetter(scalar) else { return false }
    return switch scalar.properties.generalCategory {
    case .control, .surrogate, .lineSeparator, .paragraphSeparator: false
    case .format: !isDirectional(scalar) && scalar.value != 0xFEFF && scalar.value < 0xE0000
    // Noncharacters are never text, and a D-Bus message must not contain them.
    case .unassigned: !scalar.properties.isNoncharacterCodePoint
    default: true
    }
  }

  /// True for Hangul fillers and the blank Braille pattern, which show as nothing and could hide a name.
  private static func isBlankLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: true
    default: false
    }
  }

  /// True for the marks, embeddings, overrides and isolates of UAX #9, which can disguise text as other text.
  private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
