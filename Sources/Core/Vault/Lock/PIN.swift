internal import ControlAPI
internal import JSONRPC
internal import OpenSSL

/// A PIN as a user typed it.
struct PIN: Sendable {
  private let secret: Secret

  private static let leastCount = 6

  init(_ text: String) { secret = Secret(copying: text.utf8) }

  /// Creates a new PIN; throws if it is too short or too common.
  init(new text: String) throws(RPCError) {
    guard text.count >= Self.leastCount else {
      throw .invalidParameter("pin").withMessage("a PIN has at least \(Self.leastCount) characters")
    }
    guard !Self.isCommon(text) else {
      throw .invalidParameter("pin").withMessage("this PIN is too easy to guess")
    }
    self.init(text)
  }

  /// Derives a key with scrypt, which takes 32 MiB and about 0.1 s.
  ///
  /// Each guess at the PIN of a stolen file takes as much.
  func derived(salt: [UInt8]) throws -> Secret {
    try PasswordKDF.scrypt(salt: salt, cost: 32768, blockSize: 8, parallelism: 1).key(from: secret, count: 32)
  }

  // MARK: Common PINs

  static func isCommon(_ text: String) -> Bool {
    let text = text.lowercased()
    return isRepetition(text) || isRun(text) || known.contains { holds(text, $0) }
  }

  /// True if the text repeats a sequence of one to three characters.
  private static func isRepetition(_ text: String) -> Bool {
    let characters = Array(text)
    return (1...3).contains { length in
      characters.indices.allSatisfy { characters[$0] == characters[$0 % length] }
    }
  }

  /// True if the text is part of a well-known sequence, forwards or backwards.
  private static func isRun(_ text: String) -> Bool {
    rows.contains { holds($0, text) || holds(String($0.reversed()), text) }
  }

  /// True if `text` contains `part`; the standard library's search would link its regular expression parser.
  private static func holds(_ text: String, _ part: String) -> Bool {
    text.indices.contains { text[$0...].hasPrefix(part) }
  }

  private static let rows = [
    "01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "qwertzuiop", "azertyuiop",
    "asdfghjkl", "zxcvbnm", "1q2w3e4r5t6z7u", "1q2w3e4r5t6y7u", "1qaz2wsx3edc", "112233445566778899",
    "147258369", "741852963", "159753", "159357", "123654789", "123321", "456654", "142536",
  ]

  private static let known = [
    "password", "passw0rd", "letmein", "iloveyou", "welcome", "qwerty", "abc123", "a1b2c3", "admin123",
    "secret", "dragon", "monkey", "123456", "654321", "111111", "000000",
  ]
}
