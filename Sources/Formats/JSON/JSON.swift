internal import Glibc

/// A JSON value, RFC 8259; numbers keep their text, and objects keep their order.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

extension JSON {
  /// The text of a string; `nil` for other values.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The value of `true` or `false`; `nil` for other values.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The integer of a number without fraction and exponent; `nil` for other values, or if it does not fit.
  public var int: Int? {
    if case .number(let number) = self { number.int } else { nil }
  }

  /// The number as floating point; `nil` for other values.
  public var double: Double? {
    if case .number(let number) = self { number.double } else { nil }
  }

  /// The elements of an array; `nil` for other values.
  public var array: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object; `nil` for other values.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The member of an object; `nil` for other values, or if there is no such member.
  public subscript(_ name: String) -> JSON? {
    if case .object(let object) = self { object[name] } else { nil }
  }

  /// True for `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension JSON: Equatable {
  /// True for equal types and contents; numbers compare by their text, objects regardless of order.
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
  // The type is not expressible by `nil`, because such a literal would be ambiguous for optional values.

  public init(stringLiteral value: String) { self = .string(value) }

  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  public init(booleanLiteral value: Bool) { self = .bool(value) }

  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Creates an object; the names of the literal must differ.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(distinct: elements))
  }
}

extension JSON {
  /// Returns a number from an integer.
  public static func int(_ value: Int) -> JSON { .number(JSONNumber(value)) }

  /// Returns an array of strings.
  public static func strings(_ values: some Sequence<String>) -> JSON { .array(values.map { .string($0) }) }
}

extension String {
  /// True if both texts have the same bytes; the operator `==` also accepts canonically equivalent texts.
  public func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // A String's UTF-8 is contiguous, except for strings of another runtime.
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
  /// Maximum size in bytes of a value that is passed on unchanged and not sanitised.
  private static let longestHandedOn = 8 * 1024

  /// The unchanged value; `nil` for null, or if the value is too long to be passed on.
  public var bounded: JSON? { isNull || serialized.count > Self.longestHandedOn ? nil : self }
}

extension JSON {
  /// Approximate memory use of the value in bytes.
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

  /// Overhead of an allocation in bytes.
  private static let overhead = 48

  /// Short strings are stored inline.
  private static func footprint(of text: String) -> Int {
    text.utf8.count <= 15 ? 0 : text.utf8.count + overhead
  }
}

/// A JSON number, kept as its text, so that no precision is lost when it is passed on.
public struct JSONNumber: Sendable, Equatable {
  /// The text of the number, RFC 8259 section 6.
  public let text: String

  /// Creates a number from a text that the parser has checked.
  init(validated text: String) { self.text = text }

  public init(_ value: Int) { text = String(value) }

  /// Creates a number with a fraction; infinity and NaN become 0, because JSON cannot represent them.
  public init(_ value: Double) {
    if let whole = Int(exactly: value) {
      text = String(whole)
    } else {
      text = value.isFinite ? "\(value)" : "0"
    }
  }

  /// The integer value; `nil` if the number has a fraction or exponent, or does not fit.
  public var int: Int? { Int(text) }

  /// The nearest floating-point value; infinite if the number is too large.
  public var double: Double { Double(text) ?? .infinity }
}

/// The reason why a text is not accepted as JSON.
public enum JSONError: Error, Equatable {
  /// The text is not JSON by RFC 8259, not UTF-8, or has a lone surrogate. The offset is in bytes.
  case malformed(offset: Int)
  /// An object has a duplicate name, which readers interpret differently.
  case duplicateName
  /// Arrays and objects are nested too deeply.
  case tooDeep
  /// There are more values than this maximum.
  case tooManyValues(maximum: Int)
}
