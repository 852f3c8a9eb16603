internal import ControlClient
internal import QRCode

/// A QR code as lines of a terminal: two rows of modules in each line, in colours of its own.
///
/// The colours are told, not left to the terminal: on a dark one the code would be the wrong way round, which not
/// every camera reads.
enum QRText {
  static func width(of code: QRCode) -> Int { code.width + 2 * QRCode.quietZone }

  static func lines(_ code: QRCode) -> [SafeText] {
    let range = -QRCode.quietZone..<code.width + QRCode.quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let blocks = range.map { column in
        block(code.isDark(row: row, column: column), code.isDark(row: row + 1, column: column))
      }
      return "\u{1B}[30;47m\(blocks.joined(separator: ""))\u{1B}[0m"
    }
  }

  /// A character whose upper and lower halves are dark or light.
  private static func block(_ upper: Bool, _ lower: Bool) -> SafeText {
    switch (upper, lower) {
    case (false, false): " "
    case (false, true): "▄"
    case (true, false): "▀"
    case (true, true): "█"
    }
  }
}
