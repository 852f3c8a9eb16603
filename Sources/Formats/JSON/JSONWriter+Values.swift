extension JSONWriter {
  public mutating func writeNull() { append("null") }

  public mutating func write(_ flag: Bool) { append(flag ? "true" : "false") }

  public mutating func write(_ number: Int) {
    if (0..<10).contains(number) {
      append(UInt8(ascii: "0") + UInt8(number))
    } else {
      append(ascii: String(number))
    }
  }

  public mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      // Most strings need no escapes, so they are scanned once and copied at once.
      if utf8.contains(where: Self.isSpecial) { writeEscaped(utf8) } else { append(quoted: utf8) }
    }
  }

  public mutating func write(_ value: JSON) {
    switch value {
    case .null: writeNull()
    case .bool(let flag): write(flag)
    case .number(let number): append(ascii: number.text)
    case .string(let text): write(text)
    case .array(let elements): write(elements)
    case .object(let object): write(object)
    }
  }

  private mutating func write(_ elements: [JSON]) {
    openArray()
    for element in elements {
      beginElement()
      write(element)
    }
    closeArray()
  }

  public mutating func write(_ object: JSONObject) {
    append("{")
    for (index, member) in object.members.enumerated() {
      if index > 0 { append(",") }
      write(member.name)
      append(":")
      write(member.value)
    }
    append("}")
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
  }

  private mutating func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    append(UInt8(ascii: "\""))
    for byte in text { writeEscaped(byte) }
    append(UInt8(ascii: "\""))
  }

  private mutating func writeEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x0A: append("\\n")
    case 0x0D: append("\\r")
    case 0x09: append("\\t")
    case 0..<0x20, 0x7F:
      append("\\u00")
      append(Self.hexadecimal[Int(byte >> 4)])
      append(Self.hexadecimal[Int(byte & 15)])
    default: append(byte)
    }
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)

  private mutating func append(ascii text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }
}

extension JSON {
  /// The value as UTF-8 without white space and line breaks.
  public var serialized: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.finish()
  }

  /// The value as text without white space and line breaks.
  public var text: String { String(decoding: serialized, as: UTF8.self) }
}
