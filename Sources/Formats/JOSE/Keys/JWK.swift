package import JSON
package import OpenSSL

/// A JSON Web Key, RFC 7517: a checked public key, or a symmetric one, with what it says about its use.
package struct JWK: Sendable {
  enum Material: Sendable {
    case asymmetric(PublicKey)
    case symmetric(Secret)
  }

  let material: Material
  /// The key's name (`kid`).
  package let keyID: String?
  /// What the key is for (`use`): `sig` or `enc`, or a word of somebody else's.
  package let use: String?
  /// The operations that the key is for (`key_ops`).
  package let keyOperations: [String]?
  /// The algorithm that the key is for (`alg`), as written.
  package let algorithmName: String?
  /// The key's RFC 7638 thumbprint: SHA-256 in base64url.
  package let thumbprint: String

  /// A public key with what it is for.
  package init(
    _ key: PublicKey,
    keyID: String? = nil,
    algorithm: SignatureAlgorithm? = nil,
    use: String? = nil
  ) {
    material = .asymmetric(key)
    self.keyID = keyID
    self.use = use
    keyOperations = nil
    algorithmName = algorithm?.rawValue
    thumbprint = Thumbprint.of(material)
  }

  /// A symmetric key, of whoever shares the secret.
  package init(_ secret: Secret) {
    material = .symmetric(secret)
    (keyID, use, keyOperations, algorithmName) = (nil, nil, nil, nil)
    thumbprint = Thumbprint.of(material)
  }

  /// Reads a public key; private members are dropped, and a symmetric key is refused.
  package init(_ json: JSON) throws(JOSEError) {
    guard let members = json.object else { throw .malformed }
    try self.init(members, .asymmetric(PublicKey(members: members)))
  }

  /// Reads a symmetric key (`oct`), which only somebody who shares the secret can have sent.
  package init(symmetric json: JSON) throws(JOSEError) {
    guard let members = json.object else { throw .malformed }
    guard try members.text("kty") == "oct", let text = try members.text("k") else { throw .unusableKey }
    guard var bytes = Base64URL.decode(text) else { throw .malformed }
    defer { wipe(&bytes) }
    try self.init(members, .symmetric(Secret(copying: bytes)))
  }

  private init(_ members: JSONObject, _ material: Material) throws(JOSEError) {
    self.material = material
    keyID = try members.text("kid")
    use = try members.text("use")
    algorithmName = try members.text("alg")
    keyOperations = try members.texts("key_ops")
    thumbprint = Thumbprint.of(material)
  }

  /// The public key; a symmetric key has none.
  package var publicKey: PublicKey? {
    if case .asymmetric(let key) = material { key } else { nil }
  }

  /// The algorithm that the key is for, if it is one for signatures.
  package var algorithm: SignatureAlgorithm? { algorithmName.flatMap(SignatureAlgorithm.init(rawValue:)) }

  /// The key for others to read; of a symmetric key only what it says about itself.
  package var json: JSON {
    var members = material.members
    members["kid"] = keyID.map { .string($0) }
    members["alg"] = algorithmName.map { .string($0) }
    members["use"] = use.map { .string($0) }
    members["key_ops"] = keyOperations.map { .strings($0) }
    return .object(members)
  }
}

extension JSONObject {
  /// The texts of a member that may be absent, but not something else.
  fileprivate func texts(_ name: String) throws(JOSEError) -> [String]? {
    guard let value = self[name] else { return nil }
    guard let elements = value.array else { throw .malformed }
    let texts = elements.compactMap(\.string)
    guard texts.count == elements.count else { throw .malformed }
    return texts
  }
}
