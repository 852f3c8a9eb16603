import Glibc

/// The seeds of random tests; `MFAD_TEST_SEEDS` multiplies their number.
package enum Seeds {
  private static let factor = getenv("MFAD_TEST_SEEDS").flatMap { Int(String(cString: $0)) } ?? 1

  /// Returns a number multiplied by the factor.
  package static func scaled(_ count: Int) -> Int { count * max(factor, 1) }

  /// Returns the seeds of a block: by default `count`, which is less than 1000.
  ///
  /// A larger factor adds further seeds after the default ones.
  package static func block(_ block: Int, of count: Int) -> [UInt64] {
    (0..<scaled(count)).map { UInt64($0 / count * 1_000_000 + block * 1000 + $0 % count) }
  }
}
