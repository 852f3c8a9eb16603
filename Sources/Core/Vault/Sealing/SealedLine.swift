internal import OATHExports

// Files beside the state have one line: words, and a keyed digest of them.

extension Sealer {
  func line(_ name: StaticString, _ words: [String]) throws -> [UInt8] {
    let seal = Base32.encode(try digest(name, words))
    return Array("\(words.joined(separator: " ")) \(seal)\n".utf8)
  }

  /// The words of such a line; `nil` for anything that this state's key has not sealed under this name.
  func words(of line: [UInt8], _ name: StaticString) throws -> [String]? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").dropLast().map(String.init)
    return try self.line(name, words) == line ? words : nil
  }
}

extension Int {
  /// With zeros before it, so that a number takes the place of another in a line.
  func digits(_ count: Int = 19) -> String {
    let text = String(self)
    return String(repeating: "0", count: count - Swift.min(count, text.count)) + text
  }
}
