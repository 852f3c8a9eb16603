extension Substring {
  /// Whether the text can be an id and stand in a path: `^[A-Za-z0-9._-]{1,64}$`, and no relative segment.
  public var isIdentifier: Bool {
    (1...64).contains(utf8.count) && self != "." && self != ".."
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: byte.isASCIILetterOrDigit
        }
      }
  }
}

extension String {
  /// Whether the text can be an id and stand in a path, as of a part of a text.
  public var isIdentifier: Bool { self[...].isIdentifier }
}
