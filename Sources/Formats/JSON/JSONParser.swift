/// A strict parser of RFC 8259: no trailing commas, no comments, no duplicate names, limited nesting and
/// number of values.
///
/// The parser works on bytes and validates UTF-8 while it copies text. Each accepted input has one meaning.
struct JSONParser {
  let input: UnsafeBufferPointer<UInt8>
  private let maximumDepth: Int
  private let maximumValues: Int
  private var values = 0
  var position = 0

  init(_ input: UnsafeBufferPointer<UInt8>, maximumDepth: Int, maximumValues: Int) {
    self.input = input
    (self.maximumDepth, self.maximumValues) = (maximumDepth, maximumValues)
  }

  mutating func document() throws(JSONError) -> JSON {
    skipWhitespace()
    let value = try value(depth: 0)
    skipWhitespace()
    guard position == input.count else { throw malformed }
    return value
  }

  var malformed: JSONError { .malformed(offset: position) }

  var current: UInt8? { position < input.count ? input[position] : nil }

  private mutating func skipWhitespace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  mutating func consume(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSON {
    guard let byte = current else { throw malformed }
    values += 1
    guard values <= maximumValues else { throw .tooManyValues(maximum: maximumValues) }
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

  /// Initial capacities for members, so that the array is moved less often as it grows.
  ///
  /// Inner objects can be numerous, so their capacity is small. There is only one outermost object, so its
  /// capacity is larger.
  private static let innerRoom = 4
  private static let outermostRoom = 8

  private mutating func object(depth: Int) throws(JSONError) -> JSON {
    guard depth <= maximumDepth else { throw .tooDeep }
    position += 1
    skipWhitespace()
    if consume(UInt8(ascii: "}")) { return .object(JSONObject()) }
    var members: [JSONObject.Member] = []
    members.reserveCapacity(depth == 1 ? Self.outermostRoom : Self.innerRoom)
    while true {
      skipWhitespace()
      guard current == UInt8(ascii: "\"") else { throw malformed }
      let (name, fingerprint) = try name()
      skipWhitespace()
      guard consume(UInt8(ascii: ":")) else { throw malformed }
      skipWhitespace()
      let start = position
      let value = try value(depth: depth)
      members.append(
        JSONObject.Member(name: name, value: value, source: start..<position, fingerprint: fingerprint)
      )
      skipWhitespace()
      if consume(UInt8(ascii: ",")) { continue }
      guard consume(UInt8(ascii: "}")) else { throw malformed }
      guard members.withUnsafeBufferPointer(\.haveDistinctNames) else { throw .duplicateName }
      return .object(JSONObject(parsed: members))
    }
  }

  private mutating func name() throws(JSONError) -> (String, Fingerprint) {
    let start = position + 1
    let name = try string()
    let written = UnsafeBufferPointer(rebasing: input[start..<position - 1])
    // Each escape is longer than its character, so equal lengths mean that there is no escape.
    return (name, name.utf8.count == written.count ? Fingerprint(written) : Fingerprint(name))
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
    return JSONNumber(validated: try text(input.span.extracting(start..<position), isASCII: true))
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    guard position > start else { throw malformed }
  }
}

extension JSON {
  /// The default maximum nesting.
  public static let defaultDepth = 32

  /// Returns the default maximum number of values in a text of this length in bytes.
  ///
  /// A value in memory takes up to 80 bytes, but only 2 bytes in a text such as `1,1,1`. Real documents have
  /// more than 10 bytes for each value.
  public static func defaultValues(length: Int) -> Int { 16_384 + length / 16 }

  /// Parses one JSON text, surrounded only by white space.
  ///
  /// `maximumValues` is the maximum number of values at all levels; `nil` means `defaultValues`.
  public init(
    parsing bytes: ArraySlice<UInt8>,
    maximumDepth: Int = defaultDepth,
    maximumValues: Int? = nil
  ) throws(JSONError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      let maximumValues = maximumValues ?? Self.defaultValues(length: bytes.count)
      var parser = JSONParser(bytes, maximumDepth: maximumDepth, maximumValues: maximumValues)
      return try parser.document()
    }
  }

  /// Parses one JSON text.
  public init(
    parsing bytes: [UInt8],
    maximumDepth: Int = defaultDepth,
    maximumValues: Int? = nil
  ) throws(JSONError) {
    try self.init(parsing: bytes[...], maximumDepth: maximumDepth, maximumValues: maximumValues)
  }

  /// Parses one JSON text.
  public init(parsing text: String, maximumDepth: Int = defaultDepth) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
  }
}
