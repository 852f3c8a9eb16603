import Fixtures
import JSON
import OATH
import OATHExports
import OpenSSL
import TestNetwork
import Testing
import Time

@Suite("Passcodes compared with other implementations")
struct CodeTests {
  private static let algorithms: [String: HashAlgorithm] = [
    "SHA1": .sha1, "SHA256": .sha256, "SHA384": .sha384, "SHA512": .sha512,
  ]

  @Test("passcodes match Ping's and ForgeRock's clients")
  func clients() throws {
    let vectors = try Fixtures.json("oath/oath_codes.json")
    var judged = 0
    for vector in try #require(vectors["hotp"]?.array) {
      // SHA-224 is not supported here.
      guard let algorithm = Self.algorithms[vector["algorithm"]?.string ?? ""] else { continue }
      let secret = try #require(vector["secret_base32"]?.string.flatMap(Secret.init(lenientBase32:)))
      let hotp = HOTP(secret: secret, algorithm: algorithm, digits: try #require(vector["digits"]?.int))
      let counter = UInt64(try #require(vector["counter"]?.int))
      #expect(try hotp.passcode(counter: counter) == vector["code"]?.string, "\(vector.text)")
      judged += 1
    }
    for vector in try #require(vectors["totp"]?.array) {
      guard let algorithm = Self.algorithms[vector["algorithm"]?.string ?? ""] else { continue }
      let secret = try #require(vector["secret_base32"]?.string.flatMap(Secret.init(lenientBase32:)))
      let totp = TOTP(
        secret: secret,
        algorithm: algorithm,
        digits: try #require(vector["digits"]?.int),
        period: try #require(vector["period"]?.int)
      )
      let window = totp.window(at: Timestamp(seconds: try #require(vector["unix_time"]?.int)))
      #expect(window == vector["counter"]?.int && window * totp.period == vector["valid_from"]?.int)
      #expect(try totp.passcode(window: window) == vector["code"]?.string, "\(vector.text)")
      judged += 1
    }
    for vector in try #require(vectors["base32_lenient"]?.array) {
      let secret = try #require(vector["text"]?.string.flatMap(Secret.init(lenientBase32:)))
      let hotp = HOTP(secret: secret, algorithm: .sha1, digits: 6)
      #expect(try hotp.passcode(counter: 0) == vector["hotp_sha1_counter0"]?.string)
      judged += 1
    }
    #expect(judged == 36)
  }

  @Test("TOTP passcodes match oathtool with all parameters")
  func times() throws {
    var numbers = SeededNumbers(6238)
    for (name, algorithm) in [("sha1", HashAlgorithm.sha1), ("sha256", .sha256), ("sha512", .sha512)] {
      for digits in 6...8 {
        for period in [15, 30, 47, 60, 120] {
          let secret = (0..<Int.random(in: 10...100, using: &numbers)).map { _ in
            UInt8.random(in: 0...255, using: &numbers)
          }
          let instant = Int.random(in: 0...20_000_000_000, using: &numbers)
          let totp = TOTP(
            secret: Secret(copying: secret),
            algorithm: algorithm,
            digits: digits,
            period: period
          )
          let window = totp.window(at: Timestamp(seconds: instant))
          // Three windows, to check the order of successive passcodes.
          let expected = try TestProgram.run([
            "oathtool", "--totp=\(name)", "--digits=\(digits)", "--time-step-size=\(period)s",
            "--now=@\(instant)",
            "--window=2", "--base32", Base32.encode(secret),
          ])
          let codes = try (window...window + 2).map { try totp.passcode(window: $0) }
          #expect(
            codes == expected.split(separator: "\n").map(String.init),
            "\(name) \(digits) \(period) \(instant)"
          )
        }
      }
    }
  }

  @Test("HOTP passcodes match oathtool")
  func counters() throws {
    var numbers = SeededNumbers(4226)
    for digits in 6...8 {
      for counter in [
        0, 1, 255, 256, 1 << 32 - 1, 1 << 32, 1 << 53, Int.random(in: 0..<1 << 62, using: &numbers),
      ] {
        let secret = (0..<Int.random(in: 10...100, using: &numbers)).map { _ in
          UInt8.random(in: 0...255, using: &numbers)
        }
        let hotp = HOTP(secret: Secret(copying: secret), algorithm: .sha1, digits: digits)
        let expected = try TestProgram.run([
          "oathtool", "--hotp", "--digits=\(digits)", "--counter=\(counter)", "--base32",
          Base32.encode(secret),
        ])
        #expect(try hotp.passcode(counter: UInt64(counter)) + "\n" == expected, "\(digits) \(counter)")
      }
    }
  }

  @Test("URIs of pyotp are read and give the passcodes of pyotp")
  func pyotp() throws {
    let accounts = try ForeignExports.made.get().accounts
    #expect(accounts.count == 60)
    for account in accounts {
      let credential = try OATHCredential(uri: try #require(account["uri"]?.string))
      let hotp = HOTP(
        secret: credential.secret,
        algorithm: credential.algorithm,
        digits: credential.digits
      )
      let counter =
        switch credential.kind {
        case .totp(let period): try #require(account["instant"]?.int) / period
        case .hotp(let counter): counter
        }
      #expect(try hotp.passcode(counter: UInt64(counter)) == account["code"]?.string, "\(account.text)")
    }
  }
}
