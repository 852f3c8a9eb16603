/// One row of a result, its columns read by name, or by position where there is only one.
public struct Row {
  private let values: [SQLValue]
  private let positions: [String: Int]

  init(_ statement: Statement) {
    values = (0..<statement.columnCount).map { statement.value(at: $0) }
    positions = statement.positions
  }

  /// A column of a result: the name that the statement gives it, or its position.
  public enum Column: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case name(String)
    case position(Int)

    public init(stringLiteral value: String) { self = .name(value) }

    public init(integerLiteral value: Int) { self = .position(value) }
  }

  /// The value of a column as it is stored.
  public subscript(_ column: Column) -> SQLValue {
    switch column {
    case .position(let position): return values[position]
    case .name(let name):
      guard let position = positions[name] else { preconditionFailure("no column \(name)") }
      return values[position]
    }
  }

  /// Text; empty when the column holds something else.
  public func text(_ column: Column) -> String { optionalText(column) ?? "" }

  /// Text, or `nil` when the column is NULL.
  public func optionalText(_ column: Column) -> String? {
    if case .text(let text) = self[column] { text } else { nil }
  }

  /// An integer; 0 when the column holds something else.
  public func int(_ column: Column) -> Int { optionalInt(column) ?? 0 }

  /// An integer, or `nil` when the column is NULL.
  public func optionalInt(_ column: Column) -> Int? {
    if case .integer(let number) = self[column] { Int(number) } else { nil }
  }

  /// Bytes; none when the column holds something else.
  public func blob(_ column: Column) -> [UInt8] { optionalBlob(column) ?? [] }

  /// Bytes, or `nil` when the column is NULL.
  public func optionalBlob(_ column: Column) -> [UInt8]? {
    if case .blob(let bytes) = self[column] { bytes } else { nil }
  }

  /// Whether an integer is not 0.
  public func flag(_ column: Column) -> Bool { int(column) != 0 }
}
