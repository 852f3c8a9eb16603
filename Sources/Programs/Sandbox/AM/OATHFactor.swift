import OpenSSL
import Time

/// A device for passcodes, with what AM remembers to judge the next one.
struct OATHFactor: Codable, Sendable {
  enum Kind: String, CaseIterable, Codable {
    case totp = "TOTP"
    case hotp = "HOTP"
  }

  enum Algorithm: String, CaseIterable, Codable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    fileprivate var hash: HashAlgorithm {
      switch self {
      case .sha1: .sha1
      case .sha256: .sha256
      case .sha512: .sha512
      }
    }
  }

  var kind = Kind.totp
  let secret: [UInt8]
  var algorithm = Algorithm.sha1
  var digits = 6
  private(set) var counter = 0
  /// The step of the last passcode that was taken, and how far the device's clock was off then, in seconds.
  private(set) var lastStep: Int?
  private(set) var drift = 0

  static let period = 30
  static let byteCount = 16
  private static let counterWindow = 100
  private static let stepWindow = 2
  private static let maximumDrift = 5 * period

  /// Takes a passcode that is good now, which none is twice.
  mutating func accept(_ passcode: String, at now: Timestamp) throws(OpenSSLError) -> Bool {
    let context = HMACContext(algorithm.hash, key: Secret(copying: secret))
    func fits(_ number: Int) throws(OpenSSLError) -> Bool {
      isSameSecret(try context.passcode(number, digits: digits), passcode)
    }
    guard kind == .totp else {
      for next in counter...(counter + Self.counterWindow) where try fits(next) {
        counter = next + 1
        return true
      }
      return false
    }
    let step = (now.seconds + drift) / Self.period
    guard step != lastStep else { return false }
    for offset in [0] + (1...Self.stepWindow).flatMap({ [$0, -$0] }) where try fits(step + offset) {
      let newDrift = drift + offset * Self.period
      guard step + offset > lastStep ?? 0, abs(newDrift) <= Self.maximumDrift else { return false }
      (lastStep, drift) = (step + offset, newDrift)
      return true
    }
    return false
  }
}
