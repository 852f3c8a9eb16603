/// Text from outside that is meant for a person, made fit to be shown: what steers a terminal or the direction of
/// text is taken out, and the length is bounded.
public enum DisplayText {
  /// The most characters of a name, title or label.
  public static let standardLength = 200
  /// The most characters of the body of a push.
  public static let bodyLength = 400

  /// The text without controls, bidirectional overrides and what is no character, cut to so many characters.
  public static func clean(_ text: String, maximum: Int = standardLength) -> String {
    clean(text.unicodeScalars, maximum)
  }

  /// The clean text as one line, of which no more is looked at than there is room for.
  public static func line(_ text: some StringProtocol, maximum: Int) -> String {
    // One kind of text, for which the compiler makes code of its own: others cost ten times as much.
    let characters = Substring(text).lazy.map { $0.isNewline || $0 == "\t" ? " " : $0 }
    return clean(characters.flatMap(\.unicodeScalars), maximum)
  }

  /// Looks no further than what is kept.
  private static func clean(_ scalars: some Sequence<Unicode.Scalar>, _ maximum: Int) -> String {
    var kept = String.UnicodeScalarView()
    // Combining marks make characters of any length; four scalars for each are plenty.
    var room = maximum * 4
    for scalar in scalars where isAllowed(scalar) {
      kept.append(scalar)
      room -= 1
      if room == 0 { break }
    }
    return String(String(kept).prefix(maximum))
  }

  /// The clean text as one line without the white space around it; `nil` if nothing is left.
  public static func trimmed(_ text: String, maximum: Int = standardLength) -> String? {
    let text = line(text.trimmed, maximum: maximum)
    return text.isEmpty ? nil : text
  }

  /// The most lines of a longer text, and the most characters of each.
  private static let longestText = (lines: 2000, line: 4000)

  /// The clean text with its lines.
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
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .lineSeparator, .paragraphSeparator: false
    case .format: !isDirectional(scalar) && scalar.value != 0xFEFF && scalar.value < 0xE0000
    // Never text, and no message of D-Bus may hold one.
    case .unassigned: !scalar.properties.isNoncharacterCodePoint
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
