extension SafeText {
  /// How many columns the text takes on a terminal; what steers it takes none.
  package var columns: Int { TextWidth.columns(of: text) }
}

/// How wide text is where every character has a fixed width.
package enum TextWidth {
  /// The columns of a text, in which sequences of CSI are skipped.
  package static func columns(of text: some StringProtocol) -> Int {
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
  package static func width(of character: Character) -> Int {
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
