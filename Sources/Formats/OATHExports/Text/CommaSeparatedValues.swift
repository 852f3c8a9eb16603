/// Rows of values with commas between them, RFC 4180.
enum CommaSeparatedValues {
  /// The rows, without blank ones; a quote that is not closed, or stands where none may, is malformed.
  static func rows(of text: String) throws(ExportError) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      row.append(try value(&rest))
      // A comma at the very end has an empty value behind it, which nobody misses.
      if rest.first == UInt8(ascii: ",") {
        rest.removeFirst()
      } else {
        if rest.first == UInt8(ascii: "\r") { rest.removeFirst() }
        guard rest.popFirst() ?? UInt8(ascii: "\n") == UInt8(ascii: "\n") else { throw .malformed }
        if row != [""] { rows.append(row) }
        row = []
      }
    }
    return row.isEmpty ? rows : rows + [row]
  }

  private static func value(_ rest: inout ArraySlice<UInt8>) throws(ExportError) -> String {
    guard rest.first == UInt8(ascii: "\"") else {
      let plain = rest.prefix { !",\r\n".utf8.contains($0) }
      guard !plain.contains(UInt8(ascii: "\"")) else { throw .malformed }
      rest = rest[plain.endIndex...]
      return String(decoding: plain, as: UTF8.self)
    }
    // Between quotes, where two in a row are one.
    var value: [UInt8] = []
    while rest.popFirst() != nil {
      let quoted = rest.prefix { $0 != UInt8(ascii: "\"") }
      value += quoted
      rest = rest[quoted.endIndex...]
      guard rest.popFirst() != nil else { throw .malformed }
      guard rest.first == UInt8(ascii: "\"") else { break }
      value.append(UInt8(ascii: "\""))
    }
    return String(decoding: value, as: UTF8.self)
  }
}
