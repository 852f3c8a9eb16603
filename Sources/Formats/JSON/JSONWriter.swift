/// Writes one JSON text, without white space, straight into the bytes that are sent.
///
/// An object is opened, then each member is named and followed by its value; an array is opened, then each element is begun
/// and followed by its value. The writer sets the commas.
public struct JSONWriter: ~Copyable {
  // Memory of its own: an array would be asked at each piece whether somebody else has it.
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private var count = 0

  /// A writer with room for so many bytes, which grows when they do not do.
  public init(capacity: Int = 512) {
    (start, self.capacity) = (.allocate(byteCount: capacity, alignment: 1), capacity)
  }

  deinit { start.deallocate() }

  /// The bytes that were written.
  public consuming func finish() -> [UInt8] { [UInt8](UnsafeRawBufferPointer(start: start, count: count)) }

  /// How many bytes were written so far.
  public var length: Int { count }

  /// The name of a member in the form in which it is written, `,"name":`.
  public struct Name: Sendable {
    fileprivate let bytes: [UInt8]

    public init(_ name: String) {
      // Names are kept as long as the program runs: with room for two quotation marks, a comma and a colon.
      var writer = JSONWriter(capacity: name.utf8.count + 4)
      writer.append(",")
      writer.write(name)
      writer.append(":")
      bytes = writer.finish()
    }
  }

  public mutating func openObject() { append("{") }

  public mutating func closeObject() { append("}") }

  /// Begins a member of the object that is open; its value comes next.
  public mutating func name(_ name: Name) {
    let isFirst = isJustOpened(by: UInt8(ascii: "{"))
    name.bytes.withUnsafeBytes { append(isFirst ? UnsafeRawBufferPointer(rebasing: $0[1...]) : $0) }
  }

  public mutating func openArray() { append("[") }

  public mutating func closeArray() { append("]") }

  /// Begins an element of the array that is open; its value comes next.
  public mutating func beginElement() {
    if !isJustOpened(by: UInt8(ascii: "[")) { append(UInt8(ascii: ",")) }
  }

  /// Whether nothing stands yet in what such a byte has opened.
  private func isJustOpened(by opening: UInt8) -> Bool {
    // No text ends in one without a quotation mark after it: it comes last only before what is first inside.
    count > 0 && start.load(fromByteOffset: count - 1, as: UInt8.self) == opening
  }

  /// Appends what is JSON already.
  public mutating func write(raw json: [UInt8]) { json.withUnsafeBytes { append($0) } }

  /// Appends ASCII as it is.
  public mutating func append(_ piece: StaticString) {
    append(UnsafeRawBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
  }

  mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    put(byte)
  }

  /// Appends text that needs no escape, between quotation marks.
  mutating func append(quoted text: UnsafeBufferPointer<UInt8>) {
    makeRoom(for: text.count + 2)
    put(UInt8(ascii: "\""))
    put(UnsafeRawBufferPointer(text))
    put(UInt8(ascii: "\""))
  }

  mutating func append(_ piece: UnsafeRawBufferPointer) {
    makeRoom(for: piece.count)
    put(piece)
  }

  // Safety: there is room for what is put.
  private mutating func put(_ byte: UInt8) {
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  private mutating func put(_ piece: UnsafeRawBufferPointer) {
    guard let from = piece.baseAddress else { return }
    (start + count).copyMemory(from: from, byteCount: piece.count)
    count += piece.count
  }

  private mutating func makeRoom(for more: Int) {
    guard more > capacity - count else { return }
    capacity = max(2 * capacity, count + more)
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
    new.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = new
  }
}
