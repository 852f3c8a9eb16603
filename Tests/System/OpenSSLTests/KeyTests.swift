import Fixtures
import JSON
import OpenSSL
import Testing

@Suite("Public keys")
struct PublicKeyTests {
  private let modulus: [UInt8]

  init() throws {
    let key = try PrivateKey.generateRSA(bits: 2048).publicKey
    guard case .rsa(let modulus, _) = key.components else { throw Fixtures.Failure.unexpected("kind") }
    self.modulus = modulus
  }

  @Test("an RSA key drops leading zeros of modulus and exponent")
  func rsa() throws {
    let key = try PublicKey(rsaModulus: [0, 0] + modulus, exponent: [0, 1, 0, 1])
    #expect(key.components == .rsa(modulus: modulus, exponent: [1, 0, 1]))
  }

  @Test(
    "a weak exponent is refused",
    arguments: [[], [0], [1], [3], [17], [0x01, 0x00, 0x00], [0xFF, 0xFF], [UInt8](repeating: 1, count: 9)]
  )
  func exponent(exponent: [UInt8]) {
    #expect(throws: OpenSSLError.self) { try PublicKey(rsaModulus: modulus, exponent: exponent) }
  }

  @Test("a modulus that is too small, too large, even or empty is refused")
  func size() {
    let even = modulus.dropLast() + [0]
    let small = [0x7F] + [UInt8](repeating: 0xFF, count: 255)
    let large = [UInt8](repeating: 0xFF, count: 1025)
    for modulus in [[], Array(modulus.prefix(128)), Array(even), small, large] {
      #expect(throws: OpenSSLError.self) { try PublicKey(rsaModulus: modulus, exponent: [1, 0, 1]) }
    }
  }

  @Test("an Ed25519 key of small order or wrong length is refused")
  func edwards() throws {
    let ones = [UInt8](repeating: 0xFF, count: 30)
    let zeros = [UInt8](repeating: 0, count: 31)
    let order8 = try hexadecimal("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    let other8 = try hexadecimal("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
    let weak: [[UInt8]] = [
      [0] + zeros, [1] + zeros, [0xEC] + ones + [0x7F], [0xED] + ones + [0x7F], [0xEE] + ones + [0x7F],
      order8, other8,
    ]
    for point in weak {
      #expect(throws: OpenSSLError.self) { try PublicKey(ed25519: point) }
      #expect(throws: OpenSSLError.self) { try PublicKey(ed25519: point.dropLast() + [point[31] | 0x80]) }
    }
    let good = [UInt8](repeating: 9, count: 32)
    #expect(try PublicKey(ed25519: good).components == .ed25519(good))
    for point in [[], good.dropLast() + [], good + [0]] {
      #expect(throws: OpenSSLError.self) { try PublicKey(ed25519: point) }
    }
  }

  @Test("a point off the curve, at infinity or of a wrong length is refused", arguments: Curve.allCases)
  func point(curve: Curve) {
    let zero = [UInt8](repeating: 0, count: curve.byteCount)
    let one = zero.dropLast() + [1]
    let full = [UInt8](repeating: 0xFF, count: curve.byteCount)
    for (x, y) in [(zero, zero), (zero, Array(one)), (Array(one), Array(one)), (full, full), ([], [])] {
      #expect(throws: OpenSSLError.self) { try PublicKey(curve: curve, x: x, y: y) }
    }
  }

  @Test("a point with wrong length, curve or order of coordinates is refused")
  func length() throws {
    let key = try PrivateKey.generateP256().publicKey
    guard case .ec(let curve, let x, let y) = key.components else {
      throw Fixtures.Failure.unexpected("kind")
    }
    #expect(try PublicKey(curve: curve, x: x, y: y).components == key.components)
    #expect(throws: OpenSSLError.self) { try PublicKey(curve: curve, x: [0] + x, y: y) }
    #expect(throws: OpenSSLError.self) { try PublicKey(curve: curve, x: x, y: y.dropLast()) }
    #expect(throws: OpenSSLError.self) { try PublicKey(curve: .p384, x: x, y: y) }
    #expect(throws: OpenSSLError.self) { try PublicKey(curve: curve, x: y, y: x) }
  }

  @Test("only an uncompressed point is read back")
  func writtenPoint() throws {
    let key = try PrivateKey.generateP256().publicKey
    let point = try #require(key.point)
    #expect(try PublicKey(p256Point: point).components == key.components)
    let compressed = [2 + (point[64] & 1)] + point[1...32]
    let hybrid = [6 + (point[64] & 1)] + point[1...]
    for wrong in [[], [0], point.dropLast(), point + [0], compressed, hybrid] as [[UInt8]] {
      #expect(throws: OpenSSLError.self) { try PublicKey(p256Point: wrong) }
    }
    #expect(try PublicKey(ed25519: [UInt8](repeating: 9, count: 32)).point == nil)
  }
}

@Suite("Private keys")
struct PrivateKeyTests {
  /// The order of P-256, NIST SP 800-186 section 3.2.1.3.
  private let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

  @Test("the public key of a scalar matches RFC 6979 section A.2.5")
  func scalar() throws {
    let scalar = try hexadecimal("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
    let key = try PrivateKey(p256Scalar: Secret(copying: scalar))
    let x = try hexadecimal("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
    let y = try hexadecimal("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
    #expect(key.publicKey.components == .ec(.p256, x: x, y: y))
    #expect(try key.scalar.withBytes { Array($0) } == scalar)
    let signature = try key.sign([1], scheme: .ecdsa(.sha256))
    #expect(try PublicKey(curve: .p256, x: x, y: y).verifies(signature, of: [1], scheme: .ecdsa(.sha256)))
  }

  @Test("scalars with leading zeros keep their length")
  func smallScalar() throws {
    let scalar = [UInt8](repeating: 0, count: 31) + [2]
    let key = try PrivateKey(p256Scalar: Secret(copying: scalar))
    #expect(try key.scalar.withBytes { Array($0) } == scalar)
  }

  @Test("a scalar out of range or of a wrong length is refused")
  func range() throws {
    let order = try hexadecimal(order)
    let largest = order.dropLast() + [0x50]
    #expect(throws: Never.self) { try PrivateKey(p256Scalar: Secret(copying: largest)) }
    let refused: [[UInt8]] = [
      [], [UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32),
      Array(largest.dropFirst()), [0] + Array(largest),
    ]
    for scalar in refused {
      #expect(throws: OpenSSLError.self) { try PrivateKey(p256Scalar: Secret(copying: scalar)) }
    }
  }

  @Test("an RSA key has no scalar and no key agreement")
  func rsa() throws {
    let rsa = try PrivateKey.generateRSA(bits: 2048)
    let ec = try PrivateKey.generateP256()
    #expect(throws: OpenSSLError.self) { try rsa.scalar }
    #expect(throws: OpenSSLError.self) { try rsa.sharedSecret(with: ec.publicKey) }
    #expect(throws: OpenSSLError.self) { try ec.sharedSecret(with: rsa.publicKey) }
    #expect(throws: OpenSSLError.self) { try PrivateKey.generateRSA(bits: 1024) }
    #expect(throws: OpenSSLError.self) { try PrivateKey.generateRSA(bits: 16_384) }
  }

  @Test("both parties derive the same shared secret")
  func agreement() throws {
    let one = try PrivateKey.generateP256()
    let other = try PrivateKey.generateP256()
    let agreed = try one.sharedSecret(with: other.publicKey).withBytes { Array($0) }
    #expect(try other.sharedSecret(with: one.publicKey).withBytes { Array($0) } == agreed)
    #expect(agreed.count == 32)
  }

  @Test("ECDH matches Wycheproof, and keys not in plain form are refused")
  func wycheproof() throws {
    var counts = (valid: 0, acceptable: 0, invalid: 0)
    for one in try WycheproofCase.all(in: "ecdh_secp256r1") {
      let agreed = try? agreement(of: one)
      switch one.verdict {
      case .valid:
        #expect(try agreed == one.bytes("shared"), "case \(one.id)")
        counts.valid += 1
      case .acceptable:
        // Compressed points and curves with explicit parameters are refused here.
        #expect(agreed == nil, "case \(one.id)")
        counts.acceptable += 1
      case .invalid:
        #expect(agreed == nil, "case \(one.id)")
        counts.invalid += 1
      }
    }
    #expect(counts == (valid: 330, acceptable: 230, invalid: 52))
  }

  private func agreement(of one: WycheproofCase) throws -> [UInt8] {
    // SubjectPublicKeyInfo of an uncompressed point on the named curve (RFC 5480 section 2).
    let plainForm = try hexadecimal("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
    let encoded = try one.bytes("public")
    guard encoded.starts(with: plainForm), encoded.count == plainForm.count + 64 else {
      throw Fixtures.Failure.unexpected("form")
    }
    let peer = try PublicKey(curve: .p256, x: encoded.dropLast(32).suffix(32), y: encoded.suffix(32))
    let digits = try #require(one.test["private"]?.string)
    let padded = String(repeating: "0", count: max(0, 64 - digits.count)) + digits
    let key = try PrivateKey(p256Scalar: Secret(copying: hexadecimal(padded).suffix(32)))
    return try key.sharedSecret(with: peer).withBytes { Array($0) }
  }
}

@Suite("PKCS #8")
struct PKCS8Tests {
  @Test("a key survives encoding and decoding as PKCS #8")
  func roundTrip() throws {
    for key in [try PrivateKey.generateP256(), try PrivateKey.generateRSA(bits: 2048)] {
      let again = try PrivateKey(pkcs8: key.pkcs8())
      #expect(again.publicKey.components == key.publicKey.components)
      #expect(try again.pkcs8().withBytes { Array($0) } == key.pkcs8().withBytes { Array($0) })
    }
  }

  @Test("a key with a compressed or missing public key is read")
  func foreign() throws {
    let encodings = [
      "3067020100301306072a8648ce3d020106082a8648ce3d030107044d304b0201010420050e6de92d2226588081acb0"
        + "1c10d722b408c19287318c6a7353acb3154d75e5a124032200021b36e3c3280d3e678a217c46045d8269a767de3771"
        + "e6e43700629bd3c757cf03",
      "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420050e6de92d2226588081acb01c"
        + "10d722b408c19287318c6a7353acb3154d75e5",
    ]
    let expected = try hexadecimal("1b36e3c3280d3e678a217c46045d8269a767de3771e6e43700629bd3c757cf03")
    for encoded in encodings {
      let key = try PrivateKey(pkcs8: Secret(copying: hexadecimal(encoded)))
      guard case .ec(.p256, let x, _) = key.publicKey.components else {
        throw Fixtures.Failure.unexpected("kind")
      }
      #expect(x == expected)
    }
  }

  @Test("other key types and malformed structures are refused")
  func refused() throws {
    let p384 =
      "3081a402010104304d590d2976d3576f6afd720c10ba6c5965bdb6aad102ff665fe1f88530cec13aa9e499984ebb92c8"
      + "683dbf20964e0c2ba00706052b81040022a16403620004ad49ceb9aeb0f59b3786be48a5abf9e116a208f9cfdad0ee"
      + "2a0578f2d67bffbd2d253738ae72d8787aa7bc2ee9eabe8eb8f00a585c8201e348a223e4c11f26cafab533945477b3"
      + "05256c4a76314a7a34585f7477345e007abf82b4a7049c6246"
    let ed25519 =
      "302e020100300506032b6570042204202e21a6dc67c1758af7763c2a77627f4fedd8b08615d19880855947b105b7832d"
    let good = try PrivateKey.generateP256().pkcs8().withBytes { Array($0) }
    // The last 64 bytes are the public key.
    let other = try PrivateKey.generateP256().pkcs8().withBytes { Array($0) }
    let mismatched = good.dropLast(64) + other.suffix(64)
    let offCurve = good.dropLast() + [good[good.count - 1] ^ 1]
    let refused: [[UInt8]] = [
      [], [0], good + [0], good.dropLast(), Array(mismatched), Array(offCurve), try hexadecimal(p384),
      try hexadecimal(ed25519),
    ]
    for encoded in refused {
      #expect(throws: OpenSSLError.self) { try PrivateKey(pkcs8: Secret(copying: encoded)) }
    }
  }
}
