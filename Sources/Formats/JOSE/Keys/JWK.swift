public import JSON
public import OpenSSL

/// A JSON Web Key, RFC 7517: a checked public key or a symmetric key, with its intended use.
public struct JWK: Sendable {
  enum Material: Sendable {
    case asymmetric(PublicKey)
    case symmetric(Secret)
  }

  let material: Material
  /// The key id (`kid`).
  public let keyID: String?
  /// The intended use (`use`): `sig`, `enc` or an extension.
  public let use: String?
  /// The intended operations (`key_ops`).
  public let keyOperations: [String]?
  /// The intended algorithm (`alg`), as written.
  public let algorithmName: String?
  /// The key's RFC 7638 thumbprint: SHA-256 in base64url.
  public let thumbprint: String

  /// Creates a JWK of a public key.
  public init(
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

  /// Creates a JWK of a symmetric key.
  public init(_ secret: Secret) {
    material = .symmetric(secret)
    (keyID, use, keyOperations, algorithmName) = (nil, nil, nil, nil)
    thumbprint = Thumbprint.of(material)
  }

  /// Reads a public key; ignores private members, and throws an error for a symmetric key.
  public init(_ json: JSON) throws(JOSEError) {
    guard let members = json.object else { throw .malformed }
    try self.init(members, .asymmetric(PublicKey(members: members)))
  }

  /// Reads a symmetric key (`oct`); the source must be a party that shares the secret.
  public init(symmetric json: JSON) throws(JOSEError) {
    guard let members = json.object else { throw .malformed }
    guard try members.text("kty") == "oct", let text = try members.text("k") else { throw .unusableKey }
    guard var bytes = Base64URL.decode(text) else { throw .malformed }
    defer { wipe(&bytes) }
    try self.init(members, .symmetric(Secret(copying: bytes)))
  }

  private init(_ members: JSONObject, _ material: Material) throws(JOSEError) {
    self.material = material
    keyID = try members.text(ifPresent: "kid")
    use = try members.text(ifPresent: "use")
    algorithmName = try members.text(ifPresent: "alg")
    keyOperations = try members.texts("key_ops")
    thumbprint = Thumbprint.of(material)
  }

  /// The public key; `nil` for a symmetric key.
  public var publicKey: PublicKey? {
    if case .asymmetric(let key) = material { key } else { nil }
  }

  /// The intended signature algorithm; `nil` for other algorithms.
  public var algorithm: SignatureAlgorithm? { algorithmName.flatMap(SignatureAlgorithm.init(rawValue:)) }

  /// The key as public JSON; a symmetric key is written without its secret.
  public var json: JSON {
    var members = material.members
    members["kid"] = keyID.map { .string($0) }
    members["alg"] = algorithmName.map { .string($0) }
    members["use"] = use.map { .string($0) }
    members["key_ops"] = keyOperations.map { .strings($0) }
    return .object(members)
  }
}

extension JSONObject {
  // Providers write `null` for an optional member without a value, and other libraries accept this.

  /// Returns the text of a member that may be absent or `null`; throws an error for another JSON type.
  fileprivate func text(ifPresent name: String) throws(JOSEError) -> String? {
    self[name]?.isNull == true ? nil : try text(name)
  }

  /// Returns the texts of an array member that may be absent or `null`; throws an error for other JSON types.
  fileprivate func texts(_ name: String) throws(JOSEError) -> [String]? {
    guard let value = self[name], !value.isNull else { return nil }
    guard let elements = value.array else { throw .malformed }
    let texts = elements.compactMap(\.string)
    guard texts.count == elements.count else { throw .malformed }
    return texts
  }
}

extension JWK.Material {
  /// The members with the public key, RFC 7518 section 6 and RFC 8037 section 2.
  ///
  /// The secret of a symmetric key is not included.
  var members: JSONObject {
    switch self {
    case .asymmetric(let key):
      switch key.components {
      case .rsa(let modulus, let exponent):
        ["kty": "RSA", "n": .base64URL(modulus), "e": .base64URL(exponent)]
      case .ec(let curve, let x, let y):
        ["kty": "EC", "crv": .string(curve.joseName), "x": .base64URL(x), "y": .base64URL(y)]
      case .ed25519(let point): ["kty": "OKP", "crv": .string(ed25519), "x": .base64URL(point)]
      }
    case .symmetric: ["kty": "oct"]
    }
  }
}

extension PublicKey {
  /// Reads the members of an RSA or EC key, RFC 7518 sections 6.2.1 and 6.3.1, or of Ed25519, RFC 8037 section 2.
  convenience init(members: JSONObject) throws(JOSEError) {
    switch try members.text("kty") {
    case "RSA":
      let modulus = try members.number("n")
      let exponent = try members.number("e")
      do { try self.init(rsaModulus: modulus, exponent: exponent) } catch { throw .unusableKey }
    case "EC":
      let name = try members.text("crv")
      guard let curve = Curve.allCases.first(where: { $0.joseName == name }) else { throw .unusableKey }
      let x = try members.bytes("x")
      let y = try members.bytes("y")
      do { try self.init(curve: curve, x: x, y: y) } catch { throw .unusableKey }
    case "OKP":
      guard try members.text("crv") == ed25519 else { throw .unusableKey }
      let point = try members.bytes("x")
      do { try self.init(ed25519: point) } catch { throw .unusableKey }
    default: throw .unusableKey
    }
  }
}

/// The only supported curve of octet key pairs, RFC 8037 section 2.
private let ed25519 = "Ed25519"

extension Curve {
  /// The name of the curve in a JWK, RFC 7518 section 6.2.1.1.
  var joseName: String {
    switch self {
    case .p256: "P-256"
    case .p384: "P-384"
    case .p521: "P-521"
    }
  }
}

extension JSON {
  /// Returns a base64url string.
  static func base64URL(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }
}

extension JSONObject {
  /// Returns the bytes of a required member.
  fileprivate func bytes(_ name: String) throws(JOSEError) -> [UInt8] {
    guard let text = try text(name) else { throw .unusableKey }
    guard let bytes = Base64URL.decode(text) else { throw .malformed }
    return bytes
  }

  /// Returns the bytes of a number without leading zeros, as RFC 7518 section 2 requires.
  fileprivate func number(_ name: String) throws(JOSEError) -> [UInt8] {
    let bytes = try bytes(name)
    guard let first = bytes.first, first != 0 else { throw .malformed }
    return bytes
  }
}

/// The RFC 7638 thumbprint, which identifies a key by its contents.
enum Thumbprint {
  /// Returns the SHA-256 over the required members, sorted by name, in base64url.
  static func of(_ material: JWK.Material) -> String {
    var text: [UInt8]
    switch material {
    case .asymmetric:
      let members = material.members.members.sorted { $0.name < $1.name }
      text = JSON.object(JSONObject(members.map { ($0.name, $0.value) })).serialized
    case .symmetric(let secret):
      // The text is composed in an array of bytes, so that the secret can be wiped.
      text = Array(#"{"k":""#.utf8)
      secret.withBytes { Base64URL.append($0, to: &text) }
      text.append(contentsOf: #"","kty":"oct"}"#.utf8)
    }
    defer { wipe(&text) }
    do {
      return Base64URL.encode(try digest(text, .sha256))
    } catch {
      preconditionFailure("SHA-256 is part of every libcrypto: \(error)")
    }
  }
}
