/// A value as SQLite stores it.
package enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
  package init(stringLiteral value: String) { self = .text(value) }

  package init(integerLiteral value: Int64) { self = .integer(value) }

  package init(nilLiteral: ()) { self = .null }

  package init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }

  /// An integer, or NULL.
  package init(_ value: (some BinaryInteger)?) { self = value.map { .integer(Int64(clamping: $0)) } ?? .null }

  package init(_ value: String) { self = .text(value) }

  package init(_ value: String?) { self = value.map(SQLValue.text) ?? .null }

  package init(_ value: [UInt8]) { self = .blob(value) }

  package init(_ value: [UInt8]?) { self = value.map(SQLValue.blob) ?? .null }

  /// 1 or 0.
  package init(_ value: Bool) { self = .integer(value ? 1 : 0) }
}
