/// Writes one JSON text, without white space, straight into the bytes that are sent.
///
/// An object is opened, then each member is named and followed by its value; the writer sets the commas.
package struct JSONWriter {
  /// What was written so far.
  package private(set) var bytes: [UInt8]

  /// A writer that goes on after some bytes, with room for so many more.
  package init(after prefix: [UInt8] = [], capacity: Int = 512) {
    bytes = prefix
    bytes.reserveCapacity(prefix.count + capacity)
  }

  /// The name of a member in the form in which it is written, `,"name":`.
  package struct Name: Sendable {
    fileprivate let bytes: [UInt8]

    package init(_ name: String) {
      var writer = JSONWriter()
      writer.append(",")
      writer.write(name)
      writer.append(":")
      bytes = writer.bytes
    }
  }

  package mutating func openObject() { append("{") }

  package mutating func closeObject() { append("}") }

  /// Begins a member of the object that is open; its value comes next.
  package mutating func name(_ name: Name) {
    // No text ends in an open brace without a quotation mark after it: one is there only before the first member.
    name.bytes.withUnsafeBufferPointer { piece in
      bytes.append(
        contentsOf: bytes.last == UInt8(ascii: "{") ? UnsafeBufferPointer(rebasing: piece[1...]) : piece
      )
    }
  }

  /// Writes an array, each of its elements by the closure.
  package mutating func array<Element>(
    _ elements: some Sequence<Element>,
    _ write: (Element, inout JSONWriter) -> Void
  ) {
    append("[")
    var isFirst = true
    for element in elements {
      if !isFirst { append(",") }
      isFirst = false
      write(element, &self)
    }
    append("]")
  }

  package mutating func writeNull() { append("null") }

  package mutating func write(_ flag: Bool) { append(flag ? "true" : "false") }

  package mutating func write(_ number: Int) {
    guard number >= 0, number < 10 else { return bytes.append(contentsOf: String(number).utf8) }
    bytes.append(UInt8(ascii: "0") + UInt8(number))
  }

  /// Appends what is JSON already.
  package mutating func write(raw json: [UInt8]) { bytes.append(contentsOf: json) }

  /// Appends ASCII as it is.
  package mutating func append(_ piece: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
  }

  package mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    // Most texts need no escape: they are looked through once and copied in one piece.
    let isPlain =
      text.utf8.withContiguousStorageIfAvailable { buffer in
        var isEscaped = false
        for byte in buffer { isEscaped = isEscaped || Self.isEscaped(byte) }
        if !isEscaped { bytes.append(contentsOf: buffer) }
        return !isEscaped
      } ?? false
    if !isPlain { for byte in text.utf8 { writeEscaped(byte) } }
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func write(_ value: JSON) {
    switch value {
    case .null: writeNull()
    case .bool(let flag): write(flag)
    case .number(let number): bytes.append(contentsOf: number.text.utf8)
    case .string(let text): write(text)
    case .array(let elements): array(elements) { $1.write($0) }
    case .object(let object): write(object)
    }
  }

  package mutating func write(_ object: JSONObject) {
    append("{")
    for (index, member) in object.members.enumerated() {
      if index > 0 { append(",") }
      write(member.name)
      append(":")
      write(member.value)
    }
    append("}")
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
  }

  private mutating func writeEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x0A: append("\\n")
    case 0x0D: append("\\r")
    case 0x09: append("\\t")
    case 0..<0x20, 0x7F:
      append("\\u00")
      bytes.append(Self.hexadecimal[Int(byte >> 4)])
      bytes.append(Self.hexadecimal[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)
}

extension JSON {
  /// The value as one line of UTF-8, without white space.
  package var serialized: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }

  /// The value as one line of text.
  package var text: String { String(decoding: serialized, as: UTF8.self) }
}
