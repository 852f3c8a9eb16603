extension JSON {
  /// The most bytes of a value that is handed on as it came, which nobody cleans.
  private static let longestHandedOn = 8 * 1024

  /// The value exactly as it came; `nil` for null, and for one that is too long to be handed on.
  package var bounded: JSON? { isNull || serialized.count > Self.longestHandedOn ? nil : self }
}

extension JSON {
  /// About how much memory the value holds, in bytes.
  package var footprint: Int {
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

  /// What an allocation costs besides what is in it.
  private static let overhead = 48

  /// Short texts lie within their value.
  private static func footprint(of text: String) -> Int {
    text.utf8.count <= 15 ? 0 : text.utf8.count + overhead
  }
}
