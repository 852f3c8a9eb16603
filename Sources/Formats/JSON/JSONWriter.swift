/// Writes a JSON text without white space directly into the bytes to send.
///
/// In an object, the caller must call `name` before each member's value. In an array, it must call
/// `beginElement` before each element's value. The writer adds the commas.
public struct JSONWriter: ~Copyable {
  // The writer allocates raw memory, because an array would check its uniqueness at each write.
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private var count = 0

  /// Creates a writer with an initial capacity in bytes.
  public init(capacity: Int = 512) {
    (start, self.capacity) = (.allocate(byteCount: capacity, alignment: 1), capacity)
  }

  deinit { start.deallocate() }

  /// Returns the written bytes.
  public consuming func finish() -> [UInt8] { [UInt8](UnsafeRawBufferPointer(start: start, count: count)) }

  /// Number of bytes written so far.
  public var length: Int { count }

  /// A member name in its written form, `,"name":`.
  public struct Name: Sendable {
    fileprivate let bytes: [UInt8]

    public init(_ name: String) {
      // Programs keep names permanently, so the capacity has no reserve: it counts the name, two quotation
      // marks, a comma and a colon.
      var writer = JSONWriter(capacity: name.utf8.count + 4)
      writer.append(",")
      writer.write(name)
      writer.append(":")
      bytes = writer.finish()
    }
  }

  public mutating func openObject() { append("{") }

  public mutating func closeObject() { append("}") }

  /// Starts a member of the open object; its value must follow.
  public mutating func name(_ name: Name) {
    let isFirst = isJustOpened(by: UInt8(ascii: "{"))
    name.bytes.withUnsafeBytes { append(isFirst ? UnsafeRawBufferPointer(rebasing: $0[1...]) : $0) }
  }

  public mutating func openArray() { append("[") }

  public mutating func closeArray() { append("]") }

  /// Starts an element of the open array; its value must follow.
  public mutating func beginElement() {
    if !isJustOpened(by: UInt8(ascii: "[")) { append(UInt8(ascii: ",")) }
  }

  /// True if the innermost object or array is still empty; `opening` is its bracket.
  private func isJustOpened(by opening: UInt8) -> Bool {
    // A bracket within a string cannot be the last byte, because a string ends with a quotation mark.
    count > 0 && start.load(fromByteOffset: count - 1, as: UInt8.self) == opening
  }

  /// Appends JSON text unchanged.
  public mutating func write(raw json: [UInt8]) { json.withUnsafeBytes { append($0) } }

  /// Appends ASCII text unchanged.
  public mutating func append(_ piece: StaticString) {
    append(UnsafeRawBufferPointer(start: piece.utf8Start, count: piece.utf8CodeUnitCount))
  }

  mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    put(byte)
  }

  /// Appends text that needs no escapes, in quotation marks.
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

  // Safety: the caller has reserved the space.
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
