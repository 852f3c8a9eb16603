internal import CSystemd

extension BusValue {
  /// Returns the values of a message before the first value of an unsupported type.
  static func all(of message: OpaquePointer) -> [BusValue] {
    var values: [BusValue] = []
    while values.count < most, let value = next(of: message, depth: 0) { values.append(value) }
    return values
  }

  /// Maximum number of values that are read from a message, and from a list.
  private static let most = 256
  private static let deepest = 4

  private static func next(of message: OpaquePointer, depth: Int) -> BusValue? {
    var (type, contents) = (CChar(0), nil as UnsafePointer<CChar>?)
    guard depth < deepest, sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    switch Character(Unicode.Scalar(UInt8(bitPattern: type))) {
    case "b": return basic(type, of: message, 0 as Int32).map { .bool($0 != 0) }
    case "y": return basic(type, of: message, 0 as UInt8).map { .byte($0) }
    case "i": return basic(type, of: message, 0 as Int32).map { .int32($0) }
    case "u": return basic(type, of: message, 0 as UInt32).map { .uint32($0) }
    case "s": return text(type, of: message).map { .string($0) }
    case "o": return text(type, of: message).map { .objectPath($0) }
    case "a" where contents.map { String(cString: $0) } == "s":
      return contained(type, contents, in: message) { strings(of: message) }
    case "v":
      return contained(type, contents, in: message) {
        next(of: message, depth: depth + 1).map { .variant($0) }
      }
    default: return nil
    }
  }

  private static func strings(of message: OpaquePointer) -> BusValue {
    var texts: [String] = []
    while texts.count < most, let text = text(("s" as Character).code, of: message) { texts.append(text) }
    // The remaining elements must be skipped before the container can be left.
    while sd_bus_message_skip(message, "s") > 0 {}
    return .strings(texts)
  }

  private static func contained(
    _ type: CChar,
    _ contents: UnsafePointer<CChar>?,
    in message: OpaquePointer,
    _ body: () -> BusValue?
  ) -> BusValue? {
    guard sd_bus_message_enter_container(message, type, contents) > 0, let value = body(),
      sd_bus_message_exit_container(message) >= 0
    else { return nil }
    return value
  }

  private static func basic<Value: BitwiseCopyable>(_ type: CChar, of message: OpaquePointer, _ empty: Value)
    -> Value?
  {
    var value = empty
    return sd_bus_message_read_basic(message, type, &value) > 0 ? value : nil
  }

  private static func text(_ type: CChar, of message: OpaquePointer) -> String? {
    var text: UnsafePointer<CChar>?
    guard sd_bus_message_read_basic(message, type, &text) > 0 else { return nil }
    return text.map { String(cString: $0) }
  }
}
