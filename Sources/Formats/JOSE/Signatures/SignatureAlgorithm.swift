public import OpenSSL

/// The supported signature algorithms of RFC 7518 section 3.1 and RFC 8037 section 3.1, by their JOSE names.
///
/// `none` is not supported.
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
  case hs256 = "HS256"
  case hs384 = "HS384"
  case hs512 = "HS512"
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  case eddsa = "EdDSA"

  /// The method of the algorithm and its kind of key.
  enum Method {
    /// An HMAC with a shared secret.
    case hmac(HashAlgorithm)
    /// A signature with an RSA key.
    case rsa(SignatureScheme)
    /// A signature with an EC key on this curve.
    case ecdsa(Curve, SignatureScheme)
    /// A signature with an Ed25519 key, the only supported kind of EdDSA.
    case eddsa
  }

  /// The method of the algorithm.
  var method: Method {
    switch self {
    case .hs256: .hmac(.sha256)
    case .hs384: .hmac(.sha384)
    case .hs512: .hmac(.sha512)
    case .rs256: .rsa(.pkcs1(.sha256))
    case .rs384: .rsa(.pkcs1(.sha384))
    case .rs512: .rsa(.pkcs1(.sha512))
    case .ps256: .rsa(.pss(.sha256))
    case .ps384: .rsa(.pss(.sha384))
    case .ps512: .rsa(.pss(.sha512))
    case .es256: .ecdsa(.p256, .ecdsa(.sha256))
    case .es384: .ecdsa(.p384, .ecdsa(.sha384))
    case .es512: .ecdsa(.p521, .ecdsa(.sha512))
    case .eddsa: .eddsa
    }
  }

  /// The hash of the algorithm.
  ///
  /// OpenID Connect also uses it for `at_hash`.
  public var hash: HashAlgorithm {
    switch method {
    case .hmac(let hash): hash
    case .rsa(let scheme), .ecdsa(_, let scheme): scheme.hash
    case .eddsa: SignatureScheme.ed25519.hash
    }
  }

  /// Returns the signature scheme for a key of this kind; `nil` if the key does not fit.
  func scheme(for components: PublicKey.Components) -> SignatureScheme? {
    switch (method, components) {
    case (.rsa(let scheme), .rsa): scheme
    case (.ecdsa(let wanted, let scheme), .ec(let curve, _, _)) where wanted == curve: scheme
    case (.eddsa, .ed25519): .ed25519
    case (.hmac, _), (.rsa, _), (.ecdsa, _), (.eddsa, _): nil
    }
  }
}

extension JWK {
  /// True if the key is of the kind that the algorithm requires, and its members allow verification.
  func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    guard algorithmName == nil || self.algorithm == algorithm else { return false }
    guard use == nil || use == "sig" else { return false }
    guard keyOperations?.contains("verify") ?? true else { return false }
    switch (algorithm.method, material) {
    // RFC 7518 section 3.2: the secret must be at least as long as the hash.
    case (.hmac(let hash), .symmetric(let secret)): return secret.count >= hash.byteCount
    case (_, .asymmetric(let key)): return algorithm.scheme(for: key.components) != nil
    case (.rsa, .symmetric), (.ecdsa, .symmetric), (.eddsa, .symmetric): return false
    }
  }
}
