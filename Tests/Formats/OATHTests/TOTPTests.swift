import Fixtures
import JSON
import OATH
import OpenSSL
import Testing
import Time

@Suite("Passcodes")
struct TOTPTests {
  private static func generator(_ secret: String, _ algorithm: HashAlgorithm, digits: Int) throws -> TOTP {
    TOTP(secret: Secret(copying: Array(secret.utf8)), algorithm: algorithm, digits: digits, period: 30)
  }

  @Test("passcodes of counters match RFC 4226 appendix D")
  func counters() throws {
    let vectors = try #require(try Fixtures.json("rfc/passcodes.json")["hotp"])
    let secret = try #require(vectors["secret"]?.string)
    let codes = try #require(vectors["codes"]?.array).compactMap(\.string)
    #expect(codes.count == 10)
    let totp = try Self.generator(secret, .sha1, digits: 6)
    for (counter, code) in codes.enumerated() { #expect(try totp.passcode(window: counter) == code) }
  }

  @Test("passcodes of instants match RFC 6238 appendix B")
  func instants() throws {
    let vectors = try #require(try Fixtures.json("rfc/passcodes.json")["totp"]?.array)
    #expect(vectors.count == 18)
    let algorithms: [String: HashAlgorithm] = ["SHA1": .sha1, "SHA256": .sha256, "SHA512": .sha512]
    for vector in vectors {
      let algorithm = try #require(vector["algorithm"]?.string.flatMap { algorithms[$0] })
      let secret = try #require(vector["secret"]?.string)
      let totp = try Self.generator(secret, algorithm, digits: 8)
      let instant = Timestamp(seconds: try #require(vector["time"]?.int))
      #expect(try totp.passcode(window: totp.window(at: instant)) == vector["code"]?.string, "\(vector.text)")
    }
  }

  @Test("a shorter passcode is the end of a longer one")
  func digits() throws {
    let secret = "12345678901234567890"
    let eight = try Self.generator(secret, .sha1, digits: 8).passcode(window: 1)
    #expect(try Self.generator(secret, .sha1, digits: 7).passcode(window: 1) == String(eight.suffix(7)))
    #expect(try Self.generator(secret, .sha1, digits: 6).passcode(window: 1) == String(eight.suffix(6)))
  }

  @Test("a window includes its first and excludes its last instant")
  func windows() throws {
    let totp = try Self.generator("12345678901234567890", .sha1, digits: 6)
    let windows: [(milliseconds: Int64, window: Int)] = [
      (-1, 0), (0, 0), (29_999, 0), (30_000, 1), (59_999, 1), (60_000, 2),
    ]
    for (milliseconds, window) in windows {
      #expect(totp.window(at: Timestamp(milliseconds: milliseconds)) == window, "\(milliseconds)")
    }
  }
}
