import QRCode
import Time

extension HTML {
  static func hidden(_ name: String, _ value: String) -> HTML {
    .void("input", ["type": "hidden", "name": name, "value": value])
  }

  /// Returns an input field with its label.
  static func field(
    _ label: String,
    _ name: String,
    type: String = "text",
    value: String? = nil,
    isRequired: Bool = false
  ) -> HTML {
    .element(
      "label",
      HTML(label),
      .void(
        "input",
        [
          "type": type, "name": name, "value": value, "required": isRequired ? "" : nil,
          "autocomplete": "off", "spellcheck": "false",
        ]
      )
    )
  }

  static func box(_ label: String, _ name: String, isTicked: Bool) -> HTML {
    .element(
      "label",
      ["class": "box"],
      .void("input", ["type": "checkbox", "name": name, "checked": isTicked ? "" : nil]),
      HTML(label)
    )
  }

  /// Returns a selection of values, each with a label.
  static func choice(
    _ label: String,
    _ name: String,
    _ options: [(value: String, label: String)],
    chosen: String? = nil
  )
    -> HTML
  {
    let options = options.map { option in
      HTML.element(
        "option",
        ["value": option.value, "selected": option.value == chosen ? "" : nil],
        HTML(option.label)
      )
    }
    return .element("label", HTML(label), .element("select", ["name": name], of: options))
  }

  /// Returns a table, or the text `none` if it has no rows; on a narrow screen the rows become lists.
  static func table(_ columns: [String], _ rows: [[HTML]], none: String) -> HTML {
    guard !rows.isEmpty else { return .element("p", ["class": "none"], HTML(none)) }
    let head = columns.map { HTML.element("th", ["scope": "col"], HTML($0)) }
    let body = rows.map { row in
      HTML.element("tr", of: zip(columns, row).map { .element("td", ["data-label": $0], $1) })
    }
    return .element("table", .element("thead", .element("tr", of: head)), .element("tbody", of: body))
  }

  /// Returns a list of terms with their values.
  static func facts(_ facts: [(String, HTML)]) -> HTML {
    .element("dl", of: facts.flatMap { [.element("dt", HTML($0.0)), .element("dd", $0.1)] })
  }

  static func section(_ title: String, _ content: HTML?...) -> HTML {
    .element("section", of: [.element("h2", HTML(title))] + content.compactMap(\.self))
  }

  static func link(_ path: String, _ label: String) -> HTML { .element("a", ["href": path], HTML(label)) }

  /// Returns a link to a page that asks before it deletes something.
  static func danger(_ path: String, _ label: String) -> HTML {
    .element("a", ["href": path, "class": "danger"], HTML(label))
  }

  static func code(_ text: String) -> HTML { .element("code", HTML(text)) }

  static func several(_ pieces: HTML?...) -> HTML {
    .element("div", ["class": "actions"], of: pieces.compactMap(\.self))
  }

  static func time(_ instant: Timestamp) -> HTML {
    let words = instant.text.split { "TZ".contains($0) }.joined(separator: " ")
    return .element("time", ["datetime": instant.text], "\(words) UTC")
  }
}

extension HTML {
  /// Returns a QR code of a text, with the text below.
  ///
  /// The code is dark on light in every colour scheme. If the text is too long for a QR code, only the text
  /// is shown.
  static func qrCode(_ text: String, of content: String) -> HTML {
    let words = HTML.element("figcaption", .code(text))
    guard let code = QRCode(text) else { return .element("figure", words) }
    let width = code.width + 2 * QRCode.quietZone
    let picture = HTML.element(
      "svg",
      ["viewBox": "0 0 \(width) \(width)", "role": "img", "aria-label": "QR code of \(content)"],
      .element("path", ["fill": "#fff", "d": "M0 0h\(width)v\(width)h-\(width)z"]),
      .element("path", ["fill": "#000", "shape-rendering": "crispEdges", "d": outline(code)])
    )
    return .element("figure", picture, words)
  }

  /// Returns an SVG path with a rectangle for each run of dark modules in a row.
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
