extension Substring {
  /// True if the text matches `^[A-Za-z0-9._-]{1,64}$` and is neither `.` nor `..`: safe as an id in a path.
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
  /// True if the whole string is an identifier, see `isIdentifier` of a substring.
  public var isIdentifier: Bool { self[...].isIdentifier }
}
