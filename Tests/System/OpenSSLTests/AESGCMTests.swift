import Fixtures
import OpenSSL
import Testing

@Suite("AES-GCM")
struct AESGCMTests {
  @Test("Wycheproof messages with 96-bit nonces open, fail and seal as expected")
  func wycheproof() throws {
    var accepted = 0
    var refused = 0
    var otherNonces = 0
    for one in try WycheproofCase.all(in: "aes_gcm") {
      let key = Secret(copying: try one.bytes("key"))
      let nonce = try one.bytes("iv")
      let associated = try one.bytes("aad")
      let ciphertext = try one.bytes("ct")
      let tag = try one.bytes("tag")
      let opened = try? AESGCM.open(
        ciphertext: ciphertext,
        tag: tag,
        key: key,
        nonce: nonce,
        associatedData: associated
      )
      if nonce.count != AESGCM.nonceByteCount {
        // Only 96-bit nonces are supported, so valid cases with other lengths are refused too.
        #expect(opened == nil, "case \(one.id)")
        otherNonces += 1
      } else if one.verdict == .valid {
        let message = try one.bytes("msg")
        #expect(opened == message, "case \(one.id)")
        let sealed = try AESGCM.seal(message, key: key, nonce: nonce, associatedData: associated)
        #expect(sealed.ciphertext == ciphertext && sealed.tag == tag, "case \(one.id)")
        accepted += 1
      } else {
        #expect(opened == nil, "case \(one.id)")
        refused += 1
      }
    }
    #expect(accepted == 116)
    #expect(refused == 81)
    #expect(otherNonces == 119)
  }

  @Test("opening fails after a change of any byte")
  func tampering() throws {
    let key = try Secret.random(count: 32)
    let nonce = try randomBytes(12)
    let associated = Array("row 7".utf8)
    let sealed = try AESGCM.seal("hello".utf8, key: key, nonce: nonce, associatedData: associated)
    let parts = [sealed.ciphertext, sealed.tag, nonce, associated]
    for part in parts.indices {
      for index in parts[part].indices {
        var changed = parts
        changed[part][index] ^= 1
        #expect(throws: OpenSSLError.self) {
          try AESGCM.open(
            ciphertext: changed[0],
            tag: changed[1],
            key: key,
            nonce: changed[2],
            associatedData: changed[3]
          )
        }
      }
    }
  }

  @Test("a tag shorter or longer than 128 bits is refused", arguments: [0, 4, 12, 15, 17, 32])
  func tagLength(count: Int) throws {
    let key = try Secret.random(count: 16)
    let nonce = [UInt8](repeating: 0, count: 12)
    let sealed = try AESGCM.seal([1, 2, 3], key: key, nonce: nonce, associatedData: [])
    let tag = Array((sealed.tag + sealed.tag).prefix(count))
    #expect(throws: OpenSSLError.self) {
      try AESGCM.open(ciphertext: sealed.ciphertext, tag: tag, key: key, nonce: nonce, associatedData: [])
    }
  }

  @Test("a key of an unsupported length is refused", arguments: [0, 8, 15, 17, 31, 33, 64])
  func keyLength(count: Int) {
    #expect(throws: OpenSSLError.self) {
      try AESGCM.seal(
        [1],
        key: Secret.random(count: count),
        nonce: [UInt8](repeating: 0, count: 12),
        associatedData: []
      )
    }
  }

  @Test("a nonce of an unsupported length is refused", arguments: [0, 1, 8, 11, 13, 16])
  func nonceLength(count: Int) throws {
    let key = try Secret.random(count: 32)
    let nonce = [UInt8](repeating: 0, count: count)
    #expect(throws: OpenSSLError.self) {
      try AESGCM.seal([1], key: key, nonce: nonce, associatedData: [])
    }
  }

  @Test("a wrapped key opens into a secret")
  func wrapping() throws {
    let key = try Secret.random(count: 32)
    let wrapped = try Secret.random(count: 20)
    let nonce = try randomBytes(12)
    let sealed = try wrapped.withBytes { bytes in
      try AESGCM.seal(bytes, key: key, nonce: nonce, associatedData: [1])
    }
    let opened = try AESGCM.openSecret(
      ciphertext: sealed.ciphertext,
      tag: sealed.tag,
      key: key,
      nonce: nonce,
      associatedData: [1]
    )
    #expect(opened.withBytes { Array($0) } == wrapped.withBytes { Array($0) })
    #expect(throws: OpenSSLError.self) {
      try AESGCM.openSecret(
        ciphertext: sealed.ciphertext,
        tag: sealed.tag,
        key: key,
        nonce: nonce,
        associatedData: [2]
      )
    }
  }
}
