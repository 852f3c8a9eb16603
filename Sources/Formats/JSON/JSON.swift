internal import Glibc

/// One JSON value, RFC 8259, as it was written: numbers keep their text and objects keep their order.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

extension JSON {
  /// The text, if the value is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The truth value, if the value is `true` or `false`.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The number as an integer, if the value is a number written without fraction or exponent that fits.
  public var int: Int? {
    if case .number(let number) = self { number.int } else { nil }
  }

  /// The number, if the value is one.
  public var double: Double? {
    if case .number(let number) = self { number.double } else { nil }
  }

  /// The elements, if the value is an array.
  public var array: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, if the value is an object.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The member of that name, if the value is an object that has one.
  public subscript(_ name: String) -> JSON? {
    if case .object(let object) = self { object[name] } else { nil }
  }

  /// Whether the value is `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension JSON: Equatable {
  /// Equal values have the same type and content; numbers compare by their text, objects regardless of order.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  // Not by `nil`: where an optional value is meant, it would be taken for the value null.

  public init(stringLiteral value: String) { self = .string(value) }

  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  public init(booleanLiteral value: Bool) { self = .bool(value) }

  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// An object; the names of a literal must differ.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(distinct: elements))
  }
}

extension JSON {
  /// A number from an integer.
  public static func int(_ value: Int) -> JSON { .number(JSONNumber(value)) }

  /// An array of strings.
  public static func strings(_ values: some Sequence<String>) -> JSON { .array(values.map { .string($0) }) }
}

extension String {
  /// Whether both texts are the same bytes; `==` would take canonically equivalent texts as equal.
  public func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // The text of a String is contiguous, except for one that came from another runtime.
    let isSame = utf8.withContiguousStorageIfAvailable { one -> Bool? in
      other.utf8.withContiguousStorageIfAvailable { two in
        guard let first = one.baseAddress, let second = two.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

extension JSON {
  /// The most bytes of a value that is handed on as it came, which nobody cleans.
  private static let longestHandedOn = 8 * 1024

  /// The value exactly as it came; `nil` for null, and for one that is too long to be handed on.
  public var bounded: JSON? { isNull || serialized.count > Self.longestHandedOn ? nil : self }
}

extension JSON {
  /// About how much memory the value holds, in bytes.
  public var footprint: Int {
    switch self {
    case .null, .bool: 0
    case .number(let number): Self.footprint(of: number.text)
    case .string(let text): Self.footprint(of: text)
    case .array(let elements):
      Self.overhead + elements.count * MemoryLayout<JSON>.stride + elements.reduce(0) { $0 + $1.footprint }
    case .object(let object):
      Self.overhead + object.members.capacity * MemoryLayout<JSONObject.Member>.stride
        + object.members.reduce(0) { $0 + Self.footprint(of: $1.name) + $1.value.footprint }
    }
  }

  /// What an allocation costs besides what is in it.
  private static let overhead = 48

  /// Short texts lie within their value.
  private static func footprint(of text: String) -> Int {
    text.utf8.count <= 15 ? 0 : text.utf8.count + overhead
  }
}

/// A JSON number, kept as the text that it was written with, so that nothing is lost by passing it on.
public struct JSONNumber: Sendable, Equatable {
  /// The number as it was or will be written, RFC 8259 section 6.
  public let text: String

  /// A number whose text has been checked by the parser.
  init(validated text: String) { self.text = text }

  public init(_ value: Int) { text = String(value) }

  /// A number with a fraction; one that is not finite becomes zero, since JSON cannot write it.
  public init(_ value: Double) {
    if let whole = Int(exactly: value) {
      text = String(whole)
    } else {
      text = value.isFinite ? "\(value)" : "0"
    }
  }

  /// The value, if the number was written without fraction or exponent and fits.
  public var int: Int? { Int(text) }

  /// The nearest floating-point value; infinite if the number is too large.
  public var double: Double { Double(text) ?? .infinity }
}

/// Why a text was refused as JSON.
public enum JSONError: Error, Equatable {
  /// Not JSON by RFC 8259, not UTF-8, or a lone surrogate; the offset counts bytes from the start.
  case malformed(offset: Int)
  /// An object has the same name twice, which two readers could understand differently.
  case duplicateName
  /// Arrays and objects are nested deeper than allowed.
  case tooDeep
}
