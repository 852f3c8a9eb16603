/// How an export's key of 32 bytes is derived from its password.
package enum KeyDerivation: Sendable, Equatable {
  package enum Hash: Sendable {
    case sha1, sha256
  }

  /// RFC 7914, with N and r.
  case scrypt(salt: [UInt8], cost: Int, blockSize: Int, parallelism: Int)
  /// RFC 8018 section 5.2.
  case pbkdf2(Hash, salt: [UInt8], rounds: Int)

  /// 128 · N · r bytes.
  private static let mostMemory = 32 * 1024 * 1024
  private static let mostRounds = 1_000_000

  /// The same, if it makes sense and costs no more than is given: whoever made the export chose the parameters.
  func checked() throws(ExportError) -> KeyDerivation {
    switch self {
    case .scrypt(_, let cost, let blockSize, let parallelism):
      guard cost > 1, cost & (cost - 1) == 0, blockSize > 0, parallelism > 0 else { throw .malformed }
      let (blocks, overflow) = cost.multipliedReportingOverflow(by: blockSize)
      guard !overflow, blocks <= Self.mostMemory / 128, parallelism == 1 else { throw .tooExpensive }
    case .pbkdf2(_, _, let rounds):
      guard rounds > 0 else { throw .malformed }
      guard rounds <= Self.mostRounds else { throw .tooExpensive }
    }
    return self
  }
}
