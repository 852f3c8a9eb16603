import COpenSSL

/// AES in Galois/Counter Mode (NIST SP 800-38D), with 96-bit nonces and 128-bit tags only.
public enum AESGCM {
  /// The length of a nonce in bytes.
  public static let nonceByteCount = 12
  /// The length of a tag in bytes.
  public static let tagByteCount = 16

  /// Encrypts and authenticates a message.
  ///
  /// The key has 16, 24 or 32 bytes. A nonce must not be used twice with a key.
  public static func seal(
    _ plaintext: some Collection<UInt8>,
    key: Secret,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(OpenSSLError) -> (ciphertext: [UInt8], tag: [UInt8]) {
    let cipher = try Cipher(key: key, nonce: nonce, encrypting: true)
    try cipher.authenticate(associatedData)
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    try ciphertext.withUnsafeMutableBufferPointer { output throws(OpenSSLError) in
      try plaintext.withContiguousBytes { input throws(OpenSSLError) in
        try cipher.process(input, into: output)
      }
    }
    return (ciphertext, try cipher.finishSealing())
  }

  /// Verifies and decrypts a message.
  ///
  /// Throws an error for a wrong key, nonce, tag, ciphertext or associated data.
  public static func open(
    ciphertext: some Collection<UInt8>,
    tag: [UInt8],
    key: Secret,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(OpenSSLError) -> [UInt8] {
    var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
    do {
      try plaintext.withUnsafeMutableBufferPointer { output throws(OpenSSLError) in
        try open(ciphertext, tag, key: key, nonce: nonce, associatedData: associatedData, into: output)
      }
    } catch {
      // Plaintext of a message that is not authentic must not be disclosed.
      wipe(&plaintext)
      throw error
    }
    return plaintext
  }

  /// Verifies a message and decrypts it directly into secret memory, for wrapped keys.
  public static func openSecret(
    ciphertext: some Collection<UInt8>,
    tag: [UInt8],
    key: Secret,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) throws(OpenSSLError) -> Secret {
    try Secret(count: ciphertext.count) { output throws(OpenSSLError) in
      try open(ciphertext, tag, key: key, nonce: nonce, associatedData: associatedData, into: output)
    }
  }

  private static func open(
    _ ciphertext: some Collection<UInt8>,
    _ tag: [UInt8],
    key: Secret,
    nonce: [UInt8],
    associatedData: [UInt8],
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(OpenSSLError) {
    let cipher = try Cipher(key: key, nonce: nonce, encrypting: false)
    try cipher.authenticate(associatedData)
    try ciphertext.withContiguousBytes { input throws(OpenSSLError) in
      try cipher.process(input, into: output)
    }
    try cipher.finishOpening(tag: tag)
  }
}

/// The encryption or decryption of one message.
private final class Cipher {
  private let context: OpaquePointer

  private static let aes128 = FetchedMethod(EVP_CIPHER_fetch(nil, "AES-128-GCM", nil))
  private static let aes192 = FetchedMethod(EVP_CIPHER_fetch(nil, "AES-192-GCM", nil))
  private static let aes256 = FetchedMethod(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))

  init(key: Secret, nonce: [UInt8], encrypting: Bool) throws(OpenSSLError) {
    let method =
      switch key.count {
      case 16: Self.aes128
      case 24: Self.aes192
      case 32: Self.aes256
      default: throw OpenSSLError("AESGCM", refusing: "the key has a wrong length")
      }
    guard nonce.count == AESGCM.nonceByteCount else {
      throw OpenSSLError("AESGCM", refusing: "the nonce has a wrong length")
    }
    let cipher = try method.pointer("EVP_CIPHER_fetch")
    context = try check("EVP_CIPHER_CTX_new", EVP_CIPHER_CTX_new())
    try key.withBuffer { key throws(OpenSSLError) in
      let status = EVP_CipherInit_ex2(context, cipher, key.baseAddress, nonce, encrypting ? 1 : 0, nil)
      try check("EVP_CipherInit_ex2", status)
    }
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  func authenticate(_ associatedData: [UInt8]) throws(OpenSSLError) {
    guard !associatedData.isEmpty else { return }
    var count: Int32 = 0
    let length = try Self.length(associatedData.count)
    try check("EVP_CipherUpdate", EVP_CipherUpdate(context, nil, &count, associatedData, length))
  }

  func process(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(OpenSSLError) {
    guard !input.isEmpty else { return }
    var count: Int32 = 0
    let length = try Self.length(input.count)
    let status = EVP_CipherUpdate(context, output.baseAddress, &count, input.baseAddress, length)
    try check("EVP_CipherUpdate", status)
  }

  func finishSealing() throws(OpenSSLError) -> [UInt8] {
    try finish()
    var tag = [UInt8](repeating: 0, count: AESGCM.tagByteCount)
    let status = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag)
    try check("EVP_CIPHER_CTX_ctrl", status)
    return tag
  }

  func finishOpening(tag: [UInt8]) throws(OpenSSLError) {
    guard tag.count == AESGCM.tagByteCount else {
      throw OpenSSLError("AESGCM", refusing: "the tag has a wrong length")
    }
    var tag = tag
    let status = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag)
    try check("EVP_CIPHER_CTX_ctrl", status)
    // The library gives no reason for a wrong tag.
    do { try finish() } catch { throw OpenSSLError("AESGCM", refusing: "the message is not authentic") }
  }

  private func finish() throws(OpenSSLError) {
    var count: Int32 = 0
    // GCM writes nothing at the end, but the library requires a buffer.
    var rest: [UInt8] = Array(repeating: 0, count: 16)
    try check("EVP_CipherFinal_ex", EVP_CipherFinal_ex(context, &rest, &count))
  }

  private static func length(_ count: Int) throws(OpenSSLError) -> Int32 {
    guard let length = Int32(exactly: count) else {
      throw OpenSSLError("AESGCM", refusing: "the message is too long")
    }
    return length
  }
}
