import JOSE
import JSON
import OpenSSL

/// What AM and a device tell each other: a JWS by HS256 with the secret of the device's registration.
struct SharedSecretJWT {
  private let context: HMACContext

  init(_ secret: [UInt8]) {
    context = HMACContext(.sha256, key: Secret(copying: secret))
  }

  func sign(_ claims: JSONObject) throws(Refusal) -> String {
    let header: JSON = ["typ": "JWT", "alg": "HS256"]
    let parts = [header, .object(claims)].map { Base64URL.encode($0.serialized) }.joined(separator: ".")
    return "\(parts).\(Base64URL.encode(try code(Array(parts.utf8))))"
  }

  /// The claims of a text that is so signed; `nil` of any other.
  func claims(of text: String) throws(Refusal) -> JSONObject? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), header["alg"] == "HS256" else { return nil }
    let expected = Base64URL.encode(try code(Array("\(parts[0]).\(parts[1])".utf8)))
    return isSameSecret(String(parts[2]), expected) ? Self.object(parts[1]) : nil
  }

  /// What proves that somebody has the secret.
  func response(to challenge: [UInt8]) throws(Refusal) -> String {
    standardBase64(try code(challenge))
  }

  private func code(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
    do { return try context.code(for: bytes) } catch { throw .unexpected }
  }

  private static func object(_ part: Substring) -> JSONObject? {
    Base64URL.decode(part).flatMap { try? JSON(parsing: $0) }?.object
  }
}
