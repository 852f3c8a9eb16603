import Fixtures
import OpenSSL
import Testing

@Suite("OpenSSL without omitted algorithms after SecretMemory.lock")
struct OmissionTests {
  // The omission applies to the whole process, so each test runs in a separate process.
  @Test("digests, KDFs, AES-GCM, agreement and signatures work after the lock")
  func everything() async {
    await #expect(processExitsWith: .success) {
      #expect(SecretMemory.lock(bytes: 4096))
      let (message, secret) = ([UInt8]("message".utf8), Secret(copying: [UInt8](repeating: 1, count: 32)))
      for hash in HashAlgorithm.allCases {
        #expect(try digest(message, hash).count == hash.byteCount)
        #expect(try HMACContext(hash, key: secret).code(for: message).count == hash.byteCount)
        let derivation = PasswordKDF.pbkdf2(hash, salt: message, rounds: 1)
        #expect(try derivation.key(from: secret, count: 16).count == 16)
      }
      let scrypt = PasswordKDF.scrypt(salt: message, cost: 2, blockSize: 1, parallelism: 1)
      #expect(try scrypt.key(from: secret, count: 16).count == 16)
      #expect(try hkdfKey(from: secret, salt: secret, info: message, count: 16).count == 16)
      #expect(try singleStepKey(from: secret, info: message, count: 16).count == 16)

      for size in [16, 24, 32] {
        let (key, nonce) = (try Secret.random(count: size), try randomBytes(AESGCM.nonceByteCount))
        let sealed = try AESGCM.seal(message, key: key, nonce: nonce, associatedData: message)
        let opened = try AESGCM.open(
          ciphertext: sealed.ciphertext,
          tag: sealed.tag,
          key: key,
          nonce: nonce,
          associatedData: message
        )
        #expect(opened == message)
      }

      let (curve, rsa) = (try PrivateKey.generateP256(), try PrivateKey.generateRSA(bits: 2048))
      #expect(try curve.sharedSecret(with: PrivateKey.generateP256().publicKey).count == 32)
      let schemes: [(PrivateKey, SignatureScheme)] = [
        (curve, .ecdsa(.sha256)), (rsa, .pkcs1(.sha256)), (rsa, .pkcs1(.sha384)), (rsa, .pkcs1(.sha512)),
        (rsa, .pss(.sha256)), (rsa, .pss(.sha384)), (rsa, .pss(.sha512)),
      ]
      for (key, scheme) in schemes {
        let signature = try PrivateKey(pkcs8: key.pkcs8()).sign(message, scheme: scheme)
        #expect(try key.publicKey.verifies(signature, of: message, scheme: scheme))
      }
    }
  }

  @Test("Ed25519 signatures verify after the lock")
  func edwards() async {
    await #expect(processExitsWith: .success) {
      #expect(SecretMemory.lock(bytes: 4096))
      for one in try WycheproofCase.all(in: "ed25519") where one.verdict == .valid {
        let key = try PublicKey(ed25519: one.keyBytes("pk"))
        #expect(try key.verifies(one.bytes("sig"), of: one.bytes("msg"), scheme: .ed25519))
      }
    }
  }
}
