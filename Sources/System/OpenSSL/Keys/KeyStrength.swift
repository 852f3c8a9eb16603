/// The requirements on RSA public keys that verify signatures.
enum RSAStrength {
  /// RFC 7518 sections 3.3 and 3.5 require at least 2048 bits; above 8192 bits a verification takes too long.
  static let modulusBits = 2048...8192
  /// FIPS 186-5 section A.1.1 requires an odd exponent above 2^16; real exponents fit 64 bits.
  static let exponentBits = 17...64

  /// Throws an error for a weak modulus or exponent; both must have no leading zeros.
  static func check(modulus: [UInt8], exponent: [UInt8]) throws(OpenSSLError) {
    guard modulusBits.contains(bitCount(modulus)), isOdd(modulus) else {
      throw OpenSSLError("RSAStrength", refusing: "the modulus has a wrong size")
    }
    guard exponentBits.contains(bitCount(exponent)), isOdd(exponent) else {
      throw OpenSSLError("RSAStrength", refusing: "the exponent is weak")
    }
    guard !isFromWeakGenerator(modulus) else {
      throw OpenSSLError("RSAStrength", refusing: "the modulus comes from a weak generator")
    }
  }

  /// Returns the number of bits of a number without leading zero bytes.
  static func bitCount(_ number: [UInt8]) -> Int {
    guard let first = number.first else { return 0 }
    return number.count * 8 - first.leadingZeroBitCount
  }

  private static func isOdd(_ number: [UInt8]) -> Bool { (number.last ?? 0) & 1 == 1 }

  /// True if the modulus has the mark of the generator of CVE-2017-15361 ("ROCA").
  ///
  /// Keys of this generator can be factored.
  ///
  /// Their primes are powers of 65537 modulo many small primes, so the modulus is such a power too. A random
  /// modulus matches with a probability of 2^-27.
  private static func isFromWeakGenerator(_ modulus: [UInt8]) -> Bool {
    markedPrimes.allSatisfy { prime in
      let residue = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
      var power = 1
      repeat {
        if power == residue { return true }
        power = power * 65537 % prime
      } while power != 1
      return false
    }
  }

  private static let markedPrimes = [
    11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
  ]
}

/// The requirements on Ed25519 public keys.
enum Ed25519Strength {
  /// Length of a key in bytes, RFC 8032 section 5.1.5.
  static let byteCount = 32

  /// Throws an error for a point of order 8 or less, for which anyone can forge signatures.
  static func check(_ bytes: [UInt8]) throws(OpenSSLError) {
    guard bytes.count == byteCount, var last = bytes.last else {
      throw OpenSSLError("Ed25519Strength", refusing: "the key has a wrong length")
    }
    // The sign bit of the x coordinate is ignored.
    last &= 0x7F
    guard !pointsOfSmallOrder.contains(bytes.dropLast() + [last]) else {
      throw OpenSSLError("Ed25519Strength", refusing: "the key is weak")
    }
  }

  /// The y coordinates of the eight points of small order, two of them also in their non-canonical encoding.
  private static let pointsOfSmallOrder: Set<[UInt8]> = [
    [UInt8](repeating: 0, count: byteCount),
    [1] + [UInt8](repeating: 0, count: byteCount - 1),
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
      0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ],
    [0xEC] + [UInt8](repeating: 0xFF, count: byteCount - 2) + [0x7F],
    [0xED] + [UInt8](repeating: 0xFF, count: byteCount - 2) + [0x7F],
    [0xEE] + [UInt8](repeating: 0xFF, count: byteCount - 2) + [0x7F],
  ]
}
