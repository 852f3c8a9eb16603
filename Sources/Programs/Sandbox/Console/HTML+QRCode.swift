import QRCode

extension HTML {
  /// A QR code of a text, dark on light whatever the page is like, with the text below; only that where it is too long.
  static func qrCode(_ text: String, of what: String) -> HTML {
    let words = HTML.element("figcaption", .code(text))
    guard let code = QRCode(text) else { return .element("figure", words) }
    let width = code.width + 2 * QRCode.quietZone
    let picture = HTML.element(
      "svg",
      ["viewBox": "0 0 \(width) \(width)", "role": "img", "aria-label": "QR code of \(what)"],
      .element("path", ["fill": "#fff", "d": "M0 0h\(width)v\(width)h-\(width)z"]),
      .element("path", ["fill": "#000", "shape-rendering": "crispEdges", "d": outline(code)])
    )
    return .element("figure", picture, words)
  }

  /// A rectangle for each run of dark modules in a row.
  private static func outline(_ code: QRCode) -> String {
    var path = ""
    for row in 0..<code.width {
      var column = 0
      while column < code.width {
        let end = (column..<code.width).first { !code.isDark(row: row, column: $0) } ?? code.width
        if end > column {
          path += "M\(column + QRCode.quietZone) \(row + QRCode.quietZone)h\(end - column)v1h\(column - end)z"
        }
        column = end + 1
      }
    }
    return path
  }
}
