internal import OATHExports
internal import OpenSSL

/// What opens the spare copy of the key-encryption key: 160 random bits that a person keeps on paper.
package struct RecoveryKey: Sendable {
  private let bytes: Secret

  private static let count = 20
  private static let group = 4

  /// A new one, of which nobody knows yet.
  package init() throws { bytes = try Secret.random(count: Self.count) }

  /// One that a person typed: Base32 in either case, with any spaces and hyphens.
  package init?(_ text: String) {
    let digits = text.filter { !$0.isWhitespace && $0 != "-" }
    guard var decoded = Base32.decode(digits), decoded.count == Self.count else { return nil }
    defer { wipe(&decoded) }
    bytes = Secret(copying: decoded)
  }

  /// How it is shown, once: eight groups of four.
  package var text: String {
    let digits = Array(bytes.withBytes { Base32.encode($0) })
    return stride(from: 0, to: digits.count, by: Self.group).map { start in
      String(digits[start..<min(start + Self.group, digits.count)])
    }.joined(separator: "-")
  }

  /// What wraps the spare copy; there is nothing to guess that a slow derivation would have to protect.
  var wrappingKey: Secret {
    get throws {
      try hkdfKey(
        from: bytes,
        salt: Secret(copying: []),
        info: Array("mfad recovery key".utf8),
        count: DataKey.byteCount
      )
    }
  }
}
