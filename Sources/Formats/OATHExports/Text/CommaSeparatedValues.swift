/// Comma-separated values, RFC 4180.
enum CommaSeparatedValues {
  /// Returns all rows except blank rows; throws an error for an unclosed or misplaced quote.
  static func rows(of text: String) throws(ExportError) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      row.append(try value(&rest))
      // An empty value after a comma at the end of the text is ignored.
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
    // Quoted value, in which a doubled quote is a literal quote.
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
