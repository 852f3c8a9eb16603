/// What an RSA public key must satisfy before a signature by it means anything.
enum RSAStrength {
  /// RFC 7518 sections 3.3 and 3.5 ask for 2048 bits or more; past 8192 a verification costs too much.
  static let modulusBits = 2048...8192
  /// FIPS 186-5 section A.1.1 asks for an odd exponent over 2^16; real ones fit 64 bits.
  static let exponentBits = 17...64

  /// Refuses a modulus or exponent, both without leading zeros, that no honest generator makes.
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

  /// How many bits a number without leading zero bytes has.
  static func bitCount(_ number: [UInt8]) -> Int {
    guard let first = number.first else { return 0 }
    return number.count * 8 - first.leadingZeroBitCount
  }

  private static func isOdd(_ number: [UInt8]) -> Bool { (number.last ?? 0) & 1 == 1 }

  /// Whether the modulus has the mark of the generator of CVE-2017-15361 ("ROCA"), whose keys can be factored.
  ///
  /// Its primes are powers of 65537 modulo many small primes, so the modulus is one too; by chance that happens once
  /// in 2^27.
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
