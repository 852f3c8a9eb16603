internal import ControlClient
internal import Text

extension Columns {
  /// A row that is wider than where it is shown: its cells go on below it, none of them in two unless it alone is too
  /// wide.
  ///
  /// What has one cell is a sentence, or something to be copied, and stays as it is, as all does where no width is
  /// known.
  static func fitted(_ line: SafeText, width: Int) -> [SafeText] {
    let indent = line.text.prefix { $0 == " " }.count
    let cells = line.text.split(separator: "  ").map { "\($0.trimmed { $0 == " " })" as SafeText }
      .filter { !$0.text.isEmpty }
    // Colours would be cut from what they colour.
    let isText = !line.text.contains("\u{1B}")
    guard width > 0, line.columns > width, cells.count > 1, isText else { return [line] }
    let margin = ("" as SafeText).padded(to: min(indent + 2, width / 4))
    let room = max(1, width - margin.columns)
    let first = ("" as SafeText).padded(to: min(indent, width / 4))
    var lines: [SafeText] = []
    for cell in cells {
      if let last = lines.last, last.columns + 2 + cell.columns <= width {
        lines[lines.count - 1] = "\(last)  \(cell)"
      } else if cell.columns > room, let last = lines.last, last.columns <= width / 4 {
        // A long label stands beside its number, and goes on beside it.
        let margin = ("" as SafeText).padded(to: last.columns + 2)
        let parts = Wrapping.lines(cell, width: width - margin.columns)
        lines[lines.count - 1] = "\(last)  \(parts.first ?? "")"
        lines += parts.dropFirst().map { "\(margin)\($0)" }
      } else {
        for part in Wrapping.lines(cell, width: room) {
          lines.append(lines.isEmpty ? "\(first)\(part)" : "\(margin)\(part)")
        }
      }
    }
    return lines
  }
}
