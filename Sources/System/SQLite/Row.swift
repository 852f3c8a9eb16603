/// One row of a result, its columns read by name, or by position where there is only one.
package struct Row {
  private let values: [SQLValue]
  private let positions: [String: Int]

  init(_ statement: Statement) {
    values = (0..<statement.columnCount).map { statement.value(at: $0) }
    positions = statement.positions
  }

  /// A column of a result: the name that the statement gives it, or its position.
  package enum Column: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case name(String)
    case position(Int)

    package init(stringLiteral value: String) { self = .name(value) }

    package init(integerLiteral value: Int) { self = .position(value) }
  }

  /// The value of a column as it is stored.
  package subscript(_ column: Column) -> SQLValue {
    switch column {
    case .position(let position): return values[position]
    case .name(let name):
      guard let position = positions[name] else { preconditionFailure("no column \(name)") }
      return values[position]
    }
  }

  /// Text; empty when the column holds something else.
  package func text(_ column: Column) -> String { optionalText(column) ?? "" }

  /// Text, or `nil` when the column is NULL.
  package func optionalText(_ column: Column) -> String? {
    if case .text(let text) = self[column] { text } else { nil }
  }

  /// An integer; 0 when the column holds something else.
  package func int(_ column: Column) -> Int { optionalInt(column) ?? 0 }

  /// An integer, or `nil` when the column is NULL.
  package func optionalInt(_ column: Column) -> Int? {
    if case .integer(let number) = self[column] { Int(number) } else { nil }
  }

  /// Bytes; none when the column holds something else.
  package func blob(_ column: Column) -> [UInt8] { optionalBlob(column) ?? [] }

  /// Bytes, or `nil` when the column is NULL.
  package func optionalBlob(_ column: Column) -> [UInt8]? {
    if case .blob(let bytes) = self[column] { bytes } else { nil }
  }

  /// Whether an integer is not 0.
  package func flag(_ column: Column) -> Bool { int(column) != 0 }
}
