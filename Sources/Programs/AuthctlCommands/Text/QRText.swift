internal import ControlClient
internal import QRCode

/// Draws a QR code in terminal lines with two rows of modules each and explicit colours.
///
/// With the terminal's own colours, a dark terminal would show the code inverted, which some cameras cannot
/// read.
struct QRText {
  private let code: QRCode
  /// Number of light modules around the code.
  private let margin: Int

  /// A margin that cameras still read, for terminals without space for the quiet zone of ISO/IEC 18004.
  private static let narrowMargin = 2

  /// Chooses the widest margin that fits; `nil` if the code is too large.
  init?(_ code: QRCode, columns: Int, rows: Int) {
    let margins = [QRCode.quietZone, Self.narrowMargin]
    let fitting = margins.first { Self.columns(code, $0) <= columns && Self.rows(code, $0) <= rows }
    guard let fitting else { return nil }
    (self.code, margin) = (code, fitting)
  }

  /// Returns the minimum size that a code needs.
  static func room(for code: QRCode) -> (columns: Int, rows: Int) {
    (columns(code, narrowMargin), rows(code, narrowMargin))
  }

  var lines: [SafeText] {
    let range = -margin..<code.width + margin
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let blocks = range.map { column in
        block(code.isDark(row: row, column: column), code.isDark(row: row + 1, column: column))
      }
      return "\u{1B}[30;47m\(blocks.joined(separator: ""))\u{1B}[0m"
    }
  }

  private static func columns(_ code: QRCode, _ margin: Int) -> Int { code.width + 2 * margin }

  private static func rows(_ code: QRCode, _ margin: Int) -> Int { (columns(code, margin) + 1) / 2 }

  /// Returns the character with these upper and lower halves.
  private func block(_ upper: Bool, _ lower: Bool) -> SafeText {
    switch (upper, lower) {
    case (false, false): " "
    case (false, true): "▄"
    case (true, false): "▀"
    case (true, true): "█"
    }
  }
}
