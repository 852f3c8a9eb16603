extension UInt8 {
  /// True for an ASCII digit; no byte of another UTF-8 character matches.
  public var isASCIIDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }

  /// True for an ASCII letter of either case; no byte of another UTF-8 character matches.
  public var isASCIILetter: Bool {
    let small = self | 0x20
    return UInt8(ascii: "a") <= small && small <= UInt8(ascii: "z")
  }

  public var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }
}

extension Substring {
  /// Returns the texts before and after the first occurrence of a separator; `nil` if there is none.
  public func parted(by mark: String) -> (before: Substring, after: Substring)? {
    let length = mark.utf8.count
    var start = startIndex
    while start < endIndex {
      if let end = utf8.index(start, offsetBy: length, limitedBy: endIndex),
        utf8[start..<end].elementsEqual(mark.utf8)
      {
        return (self[..<start], self[end...])
      }
      start = utf8.index(after: start)
    }
    return nil
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The text without leading and trailing white space.
  public var trimmed: Substring { trimmed(where: \.isWhitespace) }

  /// The text without leading and trailing spaces and tabs, the optional white space of RFC 9110 section
  /// 5.6.3.
  public var trimmedOfBlanks: Substring { trimmed { $0 == " " || $0 == "\t" } }

  /// Returns the text without leading and trailing characters for which `isBlank` returns true.
  public func trimmed(where isBlank: (Character) -> Bool) -> Substring {
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}
