internal import ControlClient
internal import QRCode

/// A QR code as lines of a terminal: two rows of modules in each line, in colours of its own.
///
/// The colours are told, not left to the terminal: on a dark one the code would be the wrong way round, which not
/// every camera reads.
struct QRText {
  private let code: QRCode
  /// How many light modules are around it.
  private let margin: Int

  /// What cameras still read, where there is no room for as much as ISO/IEC 18004 wants.
  private static let narrowMargin = 2

  /// The code as wide and high as there is room; `nil` if it is too large.
  init?(_ code: QRCode, columns: Int, rows: Int) {
    let margins = [QRCode.quietZone, Self.narrowMargin]
    let fitting = margins.first { Self.columns(code, $0) <= columns && Self.rows(code, $0) <= rows }
    guard let fitting else { return nil }
    (self.code, margin) = (code, fitting)
  }

  /// The room that a code needs at least.
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

  /// A character whose upper and lower halves are dark or light.
  private func block(_ upper: Bool, _ lower: Bool) -> SafeText {
    switch (upper, lower) {
    case (false, false): " "
    case (false, true): "▄"
    case (true, false): "▀"
    case (true, true): "█"
    }
  }
}
