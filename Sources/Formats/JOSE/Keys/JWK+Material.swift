import JSON
import OpenSSL

extension JWK.Material {
  /// The members that make up the key, RFC 7518 section 6 and RFC 8037 section 2; a symmetric key's secret is not
  /// among them.
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

/// The one curve of octet key pairs here, RFC 8037 section 2.
private let ed25519 = "Ed25519"

extension Curve {
  /// The curve's name in a key, RFC 7518 section 6.2.1.1.
  var joseName: String {
    switch self {
    case .p256: "P-256"
    case .p384: "P-384"
    case .p521: "P-521"
    }
  }
}

extension JSON {
  /// Bytes as base64url.
  static func base64URL(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }
}

extension JSONObject {
  /// The bytes of a member that must be there.
  fileprivate func bytes(_ name: String) throws(JOSEError) -> [UInt8] {
    guard let text = try text(name) else { throw .unusableKey }
    guard let bytes = Base64URL.decode(text) else { throw .malformed }
    return bytes
  }

  /// The bytes of a number, which RFC 7518 section 2 wants without leading zeros.
  fileprivate func number(_ name: String) throws(JOSEError) -> [UInt8] {
    let bytes = try bytes(name)
    guard let first = bytes.first, first != 0 else { throw .malformed }
    return bytes
  }
}
