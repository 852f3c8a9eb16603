/// The fields of a message in the Protocol Buffers wire format, by their numbers.
struct ProtobufMessage: Sendable {
  private enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var fields: [Int: [Value]] = [:]

  /// Reads all fields; groups are malformed, because no supported format has them.
  init(_ bytes: ArraySlice<UInt8>) throws(ExportError) {
    var rest = bytes
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      guard let field = Int(exactly: tag >> 3), field > 0 else { throw .malformed }
      let value: Value =
        switch tag & 7 {
        case 0: .number(try Self.varint(&rest))
        case 1: .bytes(try Self.take(8, of: &rest))
        case 2: .bytes(try Self.take(Self.varint(&rest), of: &rest))
        case 5: .bytes(try Self.take(4, of: &rest))
        default: throw .malformed
        }
      fields[field, default: []].append(value)
    }
  }

  /// Returns the number in a field; `nil` if it is absent.
  ///
  /// Throws an error if it is repeated.
  func number(_ field: Int) throws(ExportError) -> Int64? {
    switch try single(field) {
    case nil: nil
    case .number(let number): Int64(bitPattern: number)
    case .bytes: throw .malformed
    }
  }

  func bytes(_ field: Int) throws(ExportError) -> ArraySlice<UInt8>? {
    switch try single(field) {
    case nil: nil
    case .number: throw .malformed
    case .bytes(let bytes): bytes
    }
  }

  func text(_ field: Int) throws(ExportError) -> String? {
    guard let bytes = try bytes(field) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    return text
  }

  /// Returns the messages of a repeated field.
  func messages(_ field: Int) throws(ExportError) -> [ProtobufMessage] {
    var messages: [ProtobufMessage] = []
    for value in fields[field] ?? [] {
      guard case .bytes(let bytes) = value else { throw .malformed }
      messages.append(try ProtobufMessage(bytes))
    }
    return messages
  }

  private func single(_ field: Int) throws(ExportError) -> Value? {
    let values = fields[field] ?? []
    guard values.count <= 1 else { throw .malformed }
    return values.first
  }

  private static func take(_ count: UInt64, of rest: inout ArraySlice<UInt8>) throws(ExportError)
    -> ArraySlice<UInt8>
  {
    guard count <= rest.count else { throw .malformed }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }

  /// Seven bits per byte, lowest first, at most 64 bits.
  private static func varint(_ rest: inout ArraySlice<UInt8>) throws(ExportError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = rest.popFirst(), shift < 63 || byte <= 1 else { throw .malformed }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw .malformed
  }
}
