internal import Glibc

/// Writes one JSON text, without white space, straight into the bytes that are sent.
///
/// An object is opened, then each member is named and followed by its value; an array is opened, then each element is begun
/// and followed by its value. The writer sets the commas.
package struct JSONWriter {
  // Bytes that were grown before they are written, so that a piece costs one copy.
  private var storage: [UInt8]
  private var count = 0

  /// A writer with room for so many bytes, which grows when they do not do.
  package init(capacity: Int = 512) { storage = [UInt8](repeating: 0, count: capacity) }

  /// The bytes that were written, without those that were grown for more.
  package consuming func finish() -> [UInt8] {
    storage.removeLast(storage.count - count)
    return storage
  }

  /// How many bytes were written so far.
  package var length: Int { count }

  /// The name of a member in the form in which it is written, `,"name":`.
  package struct Name: Sendable {
    fileprivate let bytes: [UInt8]

    package init(_ name: String) {
      // Names are kept as long as the program runs: with room for two quotation marks, a comma and a colon.
      var writer = JSONWriter(capacity: name.utf8.count + 4)
      writer.append(",")
      writer.write(name)
      writer.append(":")
      bytes = writer.finish()
    }
  }

  package mutating func openObject() { append("{") }

  package mutating func closeObject() { append("}") }

  /// Begins a member of the object that is open; its value comes next.
  package mutating func name(_ name: Name) {
    let isFirst = isJustOpened(by: UInt8(ascii: "{"))
    name.bytes.withUnsafeBytes { append(isFirst ? UnsafeRawBufferPointer(rebasing: $0[1...]) : $0) }
  }

  package mutating func openArray() { append("[") }

  package mutating func closeArray() { append("]") }

  /// Begins an element of the array that is open; its value comes next.
  package mutating func beginElement() {
    if !isJustOpened(by: UInt8(ascii: "[")) { append(UInt8(ascii: ",")) }
  }

  /// Whether nothing stands yet in what such a byte has opened.
  private func isJustOpened(by opening: UInt8) -> Bool {
    // No text ends in one without a quotation mark after it: it comes last only before what is first inside.
    count > 0 && storage[count - 1] == opening
  }

  /// Appends what is JSON already.
  package mutating func write(raw json: [UInt8]) { json.withUnsafeBytes { append($0) } }

  /// Appends ASCII as it is.
  package mutating func append(_ piece: StaticString) {
    append(UnsafeRawBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
  }

  mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    storage[count] = byte
    count += 1
  }

  /// Appends text that needs no escape, between quotation marks.
  mutating func append(quoted text: UnsafeBufferPointer<UInt8>) {
    makeRoom(for: text.count + 2)
    let start = count
    storage.withUnsafeMutableBytes { out in
      out[start] = UInt8(ascii: "\"")
      UnsafeMutableRawBufferPointer(rebasing: out[(start + 1)...]).copyMemory(
        from: UnsafeRawBufferPointer(text)
      )
      out[start + 1 + text.count] = UInt8(ascii: "\"")
    }
    count += text.count + 2
  }

  mutating func append(_ piece: UnsafeRawBufferPointer) {
    makeRoom(for: piece.count)
    let start = count
    storage.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: piece)
    }
    count += piece.count
  }

  private mutating func makeRoom(for more: Int) {
    guard more > storage.count - count else { return }
    let (old, written) = (storage, count)
    storage = [UInt8](unsafeUninitializedCapacity: max(2 * old.count, written + more)) { new, length in
      length = new.count
      // In one piece each, also where the compiler does not make it so.
      let new = UnsafeMutableRawBufferPointer(new)
      old.withUnsafeBytes { new.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<written])) }
      if let start = new.baseAddress { memset(start + written, 0, length - written) }
    }
  }
}
