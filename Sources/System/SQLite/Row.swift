/// A row of a result; its columns are read by name or by position.
public struct Row {
  private let values: [SQLValue]
  private let positions: [String: Int]

  init(_ statement: Statement) {
    values = (0..<statement.columnCount).map { statement.value(at: $0) }
    positions = statement.positions
  }

  /// A column of a result: its name in the statement, or its position.
  public enum Column: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case name(String)
    case position(Int)

    public init(stringLiteral value: String) { self = .name(value) }

    public init(integerLiteral value: Int) { self = .position(value) }
  }

  /// The stored value of a column.
  public subscript(_ column: Column) -> SQLValue {
    switch column {
    case .position(let position): return values[position]
    case .name(let name):
      guard let position = positions[name] else { preconditionFailure("no column \(name)") }
      return values[position]
    }
  }

  /// The text of a column; empty if it has another type.
  public func text(_ column: Column) -> String { optionalText(column) ?? "" }

  /// The text of a column; `nil` if it is NULL or has another type.
  public func optionalText(_ column: Column) -> String? {
    if case .text(let text) = self[column] { text } else { nil }
  }

  /// The integer of a column; 0 if it has another type.
  public func int(_ column: Column) -> Int { optionalInt(column) ?? 0 }

  /// The integer of a column; `nil` if it is NULL or has another type.
  public func optionalInt(_ column: Column) -> Int? {
    if case .integer(let number) = self[column] { Int(number) } else { nil }
  }

  /// The bytes of a column; empty if it has another type.
  public func blob(_ column: Column) -> [UInt8] { optionalBlob(column) ?? [] }

  /// The bytes of a column; `nil` if it is NULL or has another type.
  public func optionalBlob(_ column: Column) -> [UInt8]? {
    if case .blob(let bytes) = self[column] { bytes } else { nil }
  }

  /// True if the integer of a column is not 0.
  public func flag(_ column: Column) -> Bool { int(column) != 0 }
}
