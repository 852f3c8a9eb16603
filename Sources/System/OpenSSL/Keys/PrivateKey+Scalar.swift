import COpenSSL

extension PrivateKey {
  /// The P-256 key of a private scalar: 32 bytes, the most significant first, from 1 to the order less one.
  package convenience init(p256Scalar: Secret) throws(OpenSSLError) {
    guard p256Scalar.count == Curve.p256.byteCount else {
      throw OpenSSLError("PrivateKey", refusing: "the scalar has a wrong length")
    }
    let parameters = Parameters()
    parameters.add("group", text: Curve.p256.name)
    p256Scalar.withBuffer { parameters.add("priv", number: $0) }
    parameters.add("pub", bytes: try publicPoint(of: p256Scalar))
    let handle = try KeyHandle("EC", selection: copenssl_key_pair(), parameters: parameters)
    try handle.checkPair()
    try self.init(handle)
  }

  /// The private scalar of a P-256 key, 32 bytes, the most significant first; an RSA key has none.
  package var scalar: Secret {
    get throws(OpenSSLError) {
      guard case .ec(let curve, _, _) = publicKey.components else {
        throw OpenSSLError("PrivateKey", refusing: "an RSA key has no scalar")
      }
      return try handle.secretNumber("priv", byteCount: curve.byteCount)
    }
  }

  /// The x coordinate of the point that both keys agree on (ECDH, NIST SP 800-56A section 5.7.1.2); both are P-256.
  package func sharedSecret(with peer: PublicKey) throws(OpenSSLError) -> Secret {
    guard case .ec(.p256, _, _) = publicKey.components, case .ec(.p256, _, _) = peer.components else {
      throw OpenSSLError("PrivateKey", refusing: "both keys of an agreement must be P-256")
    }
    return try handle.withContext { context throws(OpenSSLError) in
      try check("EVP_PKEY_derive_init", EVP_PKEY_derive_init(context))
      // The other's point was checked when its key was made.
      let status = EVP_PKEY_derive_set_peer_ex(context, try peer.handle().raw, 0)
      try check("EVP_PKEY_derive_set_peer_ex", status)
      return try Secret(count: Curve.p256.byteCount) { output throws(OpenSSLError) in
        var count = output.count
        let bytes = output.baseAddress
        try check("EVP_PKEY_derive", EVP_PKEY_derive(context, bytes, &count))
        guard count == output.count else {
          throw OpenSSLError("EVP_PKEY_derive", refusing: "the agreement has a wrong length")
        }
      }
    }
  }
}

/// The point of a scalar, which the library does not work out when it makes a key from numbers.
private func publicPoint(of scalar: Secret) throws(OpenSSLError) -> Secret {
  let group = try check("EC_GROUP_new_by_curve_name", EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
  defer { EC_GROUP_free(group) }
  let number = try check("BN_secure_new", BN_secure_new())
  defer { BN_clear_free(number) }
  // The multiplication then takes the same time for every scalar.
  BN_set_flags(number, BN_FLG_CONSTTIME)
  try scalar.withBuffer { bytes throws(OpenSSLError) in
    _ = try check("BN_bin2bn", BN_bin2bn(bytes.baseAddress, Int32(bytes.count), number))
  }
  guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
    throw OpenSSLError("PrivateKey", refusing: "the scalar is out of range")
  }
  let point = try check("EC_POINT_new", EC_POINT_new(group))
  defer { EC_POINT_free(point) }
  try check("EC_POINT_mul", EC_POINT_mul(group, point, number, nil, nil, nil))
  return try Secret(count: 1 + 2 * Curve.p256.byteCount) { output throws(OpenSSLError) in
    let bytes = output.baseAddress
    let form = POINT_CONVERSION_UNCOMPRESSED
    guard EC_POINT_point2oct(group, point, form, bytes, output.count, nil) == output.count else {
      throw OpenSSLError("EC_POINT_point2oct")
    }
  }
}

extension KeyHandle {
  /// Refuses a pair whose halves do not belong together.
  func checkPair() throws(OpenSSLError) {
    try withContext { context throws(OpenSSLError) in
      try check("EVP_PKEY_pairwise_check", EVP_PKEY_pairwise_check(context))
    }
  }
}
