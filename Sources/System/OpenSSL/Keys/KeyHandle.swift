internal import COpenSSL

/// Owns a key of the library.
final class KeyHandle: @unchecked Sendable {
  // Safety: a key is not changed after its construction, and the library's reference counts are atomic.
  let raw: OpaquePointer

  /// Takes ownership of a key and frees it at deallocation.
  init(owning raw: OpaquePointer) { self.raw = raw }

  deinit { EVP_PKEY_free(raw) }

  /// Creates a key of this type from its parameters; `selection` selects a public key or a key pair.
  convenience init(
    _ type: StaticString,
    selection: Int32,
    parameters: Parameters
  ) throws(OpenSSLError) {
    let made = try Self.withContext(type) { context throws(OpenSSLError) in
      try check("EVP_PKEY_fromdata_init", EVP_PKEY_fromdata_init(context))
      return try parameters.withList { list throws(OpenSSLError) in
        var key: OpaquePointer?
        try check("EVP_PKEY_fromdata", EVP_PKEY_fromdata(context, &key, selection, list))
        return try check("EVP_PKEY_fromdata", key)
      }
    }
    self.init(owning: made)
  }

  /// Passes the closure a context that creates keys of this type.
  static func withContext<Value>(
    _ type: StaticString,
    _ body: (OpaquePointer) throws(OpenSSLError) -> Value
  ) throws(OpenSSLError) -> Value {
    let context = try check("EVP_PKEY_CTX_new_from_name", EVP_PKEY_CTX_new_from_name(nil, "\(type)", nil))
    defer { EVP_PKEY_CTX_free(context) }
    return try body(context)
  }

  /// Passes the closure a context that uses the key.
  func withContext<Value>(
    _ body: (OpaquePointer) throws(OpenSSLError) -> Value
  ) throws(OpenSSLError) -> Value {
    let context = try check("EVP_PKEY_CTX_new_from_pkey", EVP_PKEY_CTX_new_from_pkey(nil, raw, nil))
    defer { EVP_PKEY_CTX_free(context) }
    return try body(context)
  }

  /// Returns a public number of the key, most significant byte first, with `byteCount` bytes or without
  /// leading zeros.
  func number(_ name: StaticString, byteCount: Int? = nil) throws(OpenSSLError) -> [UInt8] {
    try withNumber(name) { number throws(OpenSSLError) in
      let length = byteCount ?? Int(BN_num_bits(number) + 7) / 8
      var bytes = [UInt8](repeating: 0, count: length)
      guard BN_bn2binpad(number, &bytes, Int32(length)) == length else { throw OpenSSLError("BN_bn2binpad") }
      return bytes
    }
  }

  /// Returns a private number of the key with `byteCount` bytes.
  func secretNumber(_ name: StaticString, byteCount: Int) throws(OpenSSLError) -> Secret {
    try withNumber(name) { number throws(OpenSSLError) in
      try Secret(count: byteCount) { output throws(OpenSSLError) in
        let bytes = output.baseAddress
        guard BN_bn2binpad(number, bytes, Int32(byteCount)) == byteCount else {
          throw OpenSSLError("BN_bn2binpad")
        }
      }
    }
  }

  private func withNumber<Value>(
    _ name: StaticString,
    _ body: (OpaquePointer) throws(OpenSSLError) -> Value
  ) throws(OpenSSLError) -> Value {
    var found: OpaquePointer?
    try check("EVP_PKEY_get_bn_param", EVP_PKEY_get_bn_param(raw, "\(name)", &found))
    let number = try check("EVP_PKEY_get_bn_param", found)
    defer { BN_clear_free(number) }
    return try body(number)
  }
}

extension KeyHandle {
  /// Creates a public key from its numbers without checking them.
  convenience init(_ components: PublicKey.Components) throws(OpenSSLError) {
    let parameters = Parameters()
    switch components {
    case .rsa(let modulus, let exponent):
      parameters.add("n", number: modulus)
      parameters.add("e", number: exponent)
      try self.init("RSA", selection: copenssl_public_key(), parameters: parameters)
    case .ec(let curve, let x, let y):
      parameters.add("group", text: curve.name)
      parameters.add("pub", bytes: Secret(copying: [uncompressedPoint] + x + y))
      try self.init("EC", selection: copenssl_public_key(), parameters: parameters)
    case .ed25519(let point):
      let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, point, point.count)
      self.init(owning: try check("EVP_PKEY_new_raw_public_key_ex", key))
    }
  }
}
