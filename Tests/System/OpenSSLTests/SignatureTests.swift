import Fixtures
import JSON
import OpenSSL
import Testing

@Suite("Signatures")
struct SignatureTests {
  @Test(
    "ECDSA accepts valid and refuses invalid Wycheproof signatures",
    arguments: [
      ("ecdsa_secp256r1_sha256_p1363", Curve.p256, HashAlgorithm.sha256, 173, 89),
      ("ecdsa_secp384r1_sha384_p1363", .p384, .sha384, 193, 87),
      ("ecdsa_secp521r1_sha512_p1363", .p521, .sha512, 231, 87),
    ]
  )
  func ecdsa(file: String, curve: Curve, hash: HashAlgorithm, valid: Int, invalid: Int) throws {
    try expect(file, .ecdsa(hash), valid: valid, invalid: invalid) { one in
      let point = try one.keyBytes("uncompressed")
      let x = point[1...].prefix(curve.byteCount)
      let y = point.suffix(curve.byteCount)
      return try PublicKey(curve: curve, x: x, y: y)
    }
  }

  @Test(
    "RSA accepts valid and refuses invalid Wycheproof signatures",
    arguments: [
      ("rsa_signature_2048_sha256", SignatureScheme.pkcs1(.sha256), 7, 250, 2),
      ("rsa_signature_2048_sha384", .pkcs1(.sha384), 7, 251, 0),
      ("rsa_signature_2048_sha512", .pkcs1(.sha512), 7, 251, 1),
      ("rsa_signature_3072_sha256", .pkcs1(.sha256), 7, 251, 1),
      ("rsa_pss_2048_sha256_mgf1_32", .pss(.sha256), 63, 45, 0),
      ("rsa_pss_2048_sha384_mgf1_48", .pss(.sha384), 95, 46, 0),
    ]
  )
  func rsa(file: String, scheme: SignatureScheme, valid: Int, invalid: Int, weak: Int) throws {
    // Weak keys have the exponent 3, which FIPS 186-5 section A.1.1 excludes.
    try expect(file, scheme, valid: valid, invalid: invalid, weak: weak) { one in
      try? PublicKey(rsaModulus: one.keyBytes("modulus"), exponent: one.keyBytes("publicExponent"))
    }
  }

  @Test("Ed25519 accepts valid and refuses invalid Wycheproof signatures")
  func ed25519() throws {
    try expect("ed25519", .ed25519, valid: 88, invalid: 63) { try PublicKey(ed25519: $0.keyBytes("pk")) }
  }

  /// Checks every case of a file; the acceptable case (a hash without parameters) counts as invalid.
  private func expect(
    _ file: String,
    _ scheme: SignatureScheme,
    valid: Int,
    invalid: Int,
    weak: Int = 0,
    key: (WycheproofCase) throws -> PublicKey?
  ) throws {
    var counts = (accepted: 0, refused: 0, weak: 0)
    for one in try WycheproofCase.all(in: file) {
      guard let key = try key(one) else {
        #expect(try one.keyBytes("publicExponent") == [3])
        counts.weak += 1
        continue
      }
      let verifies = try key.verifies(one.bytes("sig"), of: one.bytes("msg"), scheme: scheme)
      #expect(verifies == (one.verdict == .valid), "case \(one.id)")
      if verifies { counts.accepted += 1 } else { counts.refused += 1 }
    }
    #expect(counts == (accepted: valid, refused: invalid, weak: weak))
  }

  @Test("a public key verifies the unchanged signature of its private key only")
  func roundTrip() throws {
    let ec = try PrivateKey.generateP256()
    let rsa = try PrivateKey.generateRSA(bits: 2048)
    let uses: [(PrivateKey, SignatureScheme)] = [
      (ec, .ecdsa(.sha256)), (rsa, .pkcs1(.sha256)), (rsa, .pkcs1(.sha512)), (rsa, .pss(.sha256)),
      (rsa, .pss(.sha384)), (rsa, .pss(.sha512)),
    ]
    for (key, scheme) in uses {
      for message in [[], Array("message".utf8)] {
        let signature = try key.sign(message, scheme: scheme)
        #expect(try key.publicKey.verifies(signature, of: message, scheme: scheme))
        #expect(try !key.publicKey.verifies(signature, of: message + [0], scheme: scheme))
        #expect(try !key.publicKey.verifies(signature.dropLast(), of: message, scheme: scheme))
        #expect(try !key.publicKey.verifies(signature + [0], of: message, scheme: scheme))
        #expect(try !key.publicKey.verifies([], of: message, scheme: scheme))
      }
    }
    #expect(try ec.sign([], scheme: .ecdsa(.sha256)).count == 64)
  }

  @Test("a key neither signs nor verifies with a scheme of another key type")
  func kinds() throws {
    let ec = try PrivateKey.generateP256()
    let rsa = try PrivateKey.generateRSA(bits: 2048)
    #expect(throws: OpenSSLError.self) { try ec.sign([1], scheme: .pkcs1(.sha256)) }
    #expect(throws: OpenSSLError.self) { try rsa.sign([1], scheme: .ecdsa(.sha256)) }
    let signature = try ec.sign([1], scheme: .ecdsa(.sha256))
    #expect(try !rsa.publicKey.verifies(signature, of: [1], scheme: .ecdsa(.sha256)))
    #expect(try !ec.publicKey.verifies(signature, of: [1], scheme: .pss(.sha256)))
    #expect(try !ec.publicKey.verifies(signature, of: [1], scheme: .ed25519))
    let edwards = try PublicKey(ed25519: [UInt8](repeating: 9, count: 32))
    #expect(try !edwards.verifies(signature, of: [1], scheme: .ecdsa(.sha256)))
    #expect(try !edwards.verifies(signature, of: [1], scheme: .ed25519))
  }

  @Test("a PKCS #1 signature does not verify as PSS or with another hash")
  func schemes() throws {
    let key = try PrivateKey.generateRSA(bits: 2048)
    let signature = try key.sign([1], scheme: .pkcs1(.sha256))
    #expect(try !key.publicKey.verifies(signature, of: [1], scheme: .pss(.sha256)))
    #expect(try !key.publicKey.verifies(signature, of: [1], scheme: .pkcs1(.sha384)))
  }

  @Test("a reused key verifies independently of earlier results and schemes")
  func reuse() throws {
    let key = try PrivateKey.generateRSA(bits: 2048)
    let schemes: [SignatureScheme] = [.pkcs1(.sha256), .pss(.sha256), .pkcs1(.sha512), .pss(.sha384)]
    let signatures = try schemes.map { try key.sign([1], scheme: $0) }
    for _ in 0..<2 {
      for (index, scheme) in schemes.enumerated() {
        for (other, signature) in signatures.enumerated() {
          #expect(try key.publicKey.verifies(signature, of: [1], scheme: scheme) == (index == other))
        }
        var tampered = signatures[index]
        tampered[100] ^= 1
        #expect(try !key.publicKey.verifies(tampered, of: [1], scheme: scheme))
        #expect(try key.publicKey.verifies(signatures[index], of: [1], scheme: scheme))
        #expect(try !key.publicKey.verifies(signatures[index], of: [2], scheme: scheme))
        #expect(try !key.publicKey.verifies([], of: [1], scheme: scheme))
      }
    }
    let curve = try PrivateKey.generateP256()
    let signature = try curve.sign([1], scheme: .ecdsa(.sha256))
    for _ in 0..<2 {
      #expect(try curve.publicKey.verifies(signature, of: [1], scheme: .ecdsa(.sha256)))
      #expect(try !curve.publicKey.verifies(signature, of: [1], scheme: .ecdsa(.sha512)))
      #expect(try !curve.publicKey.verifies(signature.reversed(), of: [1], scheme: .ecdsa(.sha256)))
    }
  }
}
