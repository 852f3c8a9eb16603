/// A value of an SQLite column.
public enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
  public init(stringLiteral value: String) { self = .text(value) }

  public init(integerLiteral value: Int64) { self = .integer(value) }

  public init(nilLiteral: ()) { self = .null }

  public init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }

  /// An integer; NULL for `nil`.
  public init(_ value: (some BinaryInteger)?) { self = value.map { .integer(Int64(clamping: $0)) } ?? .null }

  public init(_ value: String) { self = .text(value) }

  public init(_ value: String?) { self = value.map(SQLValue.text) ?? .null }

  public init(_ value: [UInt8]) { self = .blob(value) }

  public init(_ value: [UInt8]?) { self = value.map(SQLValue.blob) ?? .null }

  /// 1 for true, 0 for false.
  public init(_ value: Bool) { self = .integer(value ? 1 : 0) }
}
