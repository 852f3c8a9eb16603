/// One row of an answer, read by the position of its columns.
package struct Row {
  private let values: [SQLValue]

  init(_ statement: Statement) {
    values = (0..<statement.columnCount).map { statement.value(at: $0) }
  }

  /// The value of a column as it is stored.
  package subscript(_ column: Int) -> SQLValue { values[column] }

  /// Text; empty when the column holds something else.
  package func text(_ column: Int) -> String {
    if case .text(let text) = values[column] { text } else { "" }
  }

  /// Text, or `nil` when the column is NULL.
  package func optionalText(_ column: Int) -> String? {
    if case .text(let text) = values[column] { text } else { nil }
  }

  /// An integer; 0 when the column holds something else.
  package func int(_ column: Int) -> Int {
    if case .integer(let number) = values[column] { Int(number) } else { 0 }
  }

  /// An integer, or `nil` when the column is NULL.
  package func optionalInt(_ column: Int) -> Int? {
    if case .integer(let number) = values[column] { Int(number) } else { nil }
  }

  /// Bytes; none when the column holds something else.
  package func blob(_ column: Int) -> [UInt8] {
    if case .blob(let bytes) = values[column] { bytes } else { [] }
  }

  /// Bytes, or `nil` when the column is NULL.
  package func optionalBlob(_ column: Int) -> [UInt8]? {
    if case .blob(let bytes) = values[column] { bytes } else { nil }
  }

  /// Whether an integer is not 0.
  package func flag(_ column: Int) -> Bool { int(column) != 0 }
}
