import Glibc

/// How much is played by chance: `MFAD_TEST_SEEDS` says how many times as much as usual.
package enum Seeds {
  private static let factor = getenv("MFAD_TEST_SEEDS").flatMap { Int(String(cString: $0)) } ?? 1

  /// So many of something, times the factor.
  package static func scaled(_ count: Int) -> Int { count * max(factor, 1) }

  /// The seeds of a block that usually has so many, which are fewer than a thousand; more of them begin as the usual
  /// ones do.
  package static func block(_ block: Int, of count: Int) -> [UInt64] {
    (0..<scaled(count)).map { UInt64($0 / count * 1_000_000 + block * 1000 + $0 % count) }
  }
}
