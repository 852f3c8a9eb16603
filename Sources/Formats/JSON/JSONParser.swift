/// A strict reader of RFC 8259: no trailing commas, no comments, no duplicate names, bounded nesting.
///
/// The reader works on bytes and checks UTF-8 while it copies text, so that what it accepts has one meaning.
struct JSONParser {
  private let input: UnsafeBufferPointer<UInt8>
  private let maximumDepth: Int
  private var position = 0

  init(_ input: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
    self.input = input
    self.maximumDepth = maximumDepth
  }

  mutating func document() throws(JSONError) -> JSON {
    skipWhitespace()
    let value = try value(depth: 0)
    skipWhitespace()
    guard position == input.count else { throw malformed }
    return value
  }

  private var malformed: JSONError { .malformed(offset: position) }

  private var current: UInt8? { position < input.count ? input[position] : nil }

  private mutating func skipWhitespace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSON {
    guard let byte = current else { throw malformed }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw malformed
    }
  }

  private mutating func literal(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    let length = text.utf8CodeUnitCount
    guard input.count - position >= length else { throw malformed }
    for index in 0..<length where input[position + index] != text.utf8Start[index] { throw malformed }
    position += length
    return value
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSON {
    guard depth <= maximumDepth else { throw .tooDeep }
    position += 1
    skipWhitespace()
    if consume(UInt8(ascii: "]")) { return .array([]) }
    var elements: [JSON] = []
    while true {
      skipWhitespace()
      elements.append(try value(depth: depth))
      skipWhitespace()
      if consume(UInt8(ascii: ",")) { continue }
      guard consume(UInt8(ascii: "]")) else { throw malformed }
      return .array(elements)
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSON {
    guard depth <= maximumDepth else { throw .tooDeep }
    position += 1
    skipWhitespace()
    if consume(UInt8(ascii: "}")) { return .object(JSONObject()) }
    var members: [JSONObject.Member] = []
    var seen = NameSet()
    while true {
      skipWhitespace()
      guard current == UInt8(ascii: "\"") else { throw malformed }
      let name = try string()
      guard seen.insert(name, among: members) else { throw .duplicateName }
      skipWhitespace()
      guard consume(UInt8(ascii: ":")) else { throw malformed }
      skipWhitespace()
      let start = position
      let value = try value(depth: depth)
      members.append(JSONObject.Member(name: name, value: value, source: start..<position))
      skipWhitespace()
      if consume(UInt8(ascii: ",")) { continue }
      guard consume(UInt8(ascii: "}")) else { throw malformed }
      return .object(JSONObject(parsed: members))
    }
  }

  private mutating func number() throws(JSONError) -> JSONNumber {
    let start = position
    _ = consume(UInt8(ascii: "-"))
    if !consume(UInt8(ascii: "0")) { try digits() }
    if consume(UInt8(ascii: ".")) { try digits() }
    if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
      if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
      try digits()
    }
    return JSONNumber(validated: String(decoding: input[start..<position], as: UTF8.self))
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    guard position > start else { throw malformed }
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    // Most texts have no escapes: they are checked and copied in one piece.
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    guard current == UInt8(ascii: "\\") else {
      guard current == UInt8(ascii: "\"") else { throw malformed }
      let text = try text(input[start..<position])
      position += 1
      return text
    }
    var bytes = Array(input[start..<position])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        let text = try text(bytes)
        position += 1
        return text
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &bytes)
      case 0x20...:
        bytes.append(byte)
        position += 1
      default: throw malformed
      }
    }
    throw malformed
  }

  private func text(_ bytes: some Sequence<UInt8>) throws(JSONError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed }
    return text
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(JSONError) {
    guard let byte = current else { throw malformed }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"): try unicodeEscape(into: &bytes)
    default: throw malformed
    }
  }

  private mutating func unicodeEscape(into bytes: inout [UInt8]) throws(JSONError) {
    var value = try hexadecimalDigits()
    if value & 0xFC00 == 0xD800 {
      guard consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) else { throw malformed }
      let low = try hexadecimalDigits()
      guard low & 0xFC00 == 0xDC00 else { throw malformed }
      value = 0x10000 + (value & 0x3FF) << 10 + (low & 0x3FF)
    }
    // A lone low surrogate is no scalar.
    guard let scalar = Unicode.Scalar(value) else { throw malformed }
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private mutating func hexadecimalDigits() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw malformed
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}

/// The names that an object has so far: compared one by one while few, hashed when many.
private struct NameSet {
  private var hashed: Set<[UInt8]> = []

  mutating func insert(_ name: String, among members: [JSONObject.Member]) -> Bool {
    if members.count < 16 { return !members.contains { $0.name.hasSameBytes(as: name) } }
    if members.count == 16 { hashed = Set(members.map { Array($0.name.utf8) }) }
    return hashed.insert(Array(name.utf8)).inserted
  }
}

extension JSON {
  /// The nesting that is allowed when nothing else is said.
  package static let defaultDepth = 32

  /// Reads one JSON text, with nothing but white space around it.
  package init(parsing bytes: some Collection<UInt8>, maximumDepth: Int = defaultDepth) throws(JSONError) {
    let outcome =
      bytes.withContiguousStorageIfAvailable { Self.parse($0, maximumDepth: maximumDepth) }
      ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0, maximumDepth: maximumDepth) }
    self = try outcome.get()
  }

  /// Reads one JSON text.
  package init(parsing text: String, maximumDepth: Int = defaultDepth) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
  }

  private static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>,
    maximumDepth: Int
  ) -> Result<JSON, JSONError> {
    var parser = JSONParser(bytes, maximumDepth: maximumDepth)
    return Result { () throws(JSONError) in try parser.document() }
  }
}
