package import JSON
package import OpenSSL

extension CompactJWS {
  /// A signed token; `extraHeader` must not name what the other parameters say, nor an extension.
  package static func sign(
    payload: [UInt8],
    type: String?,
    keyID: String?,
    extraHeader: JSONObject = [:],
    with key: PrivateKey,
    algorithm: SignatureAlgorithm
  ) throws(JOSEError) -> String {
    guard let scheme = algorithm.scheme(for: key.publicKey.components) else { throw .keyMismatch }
    let reserved = ["alg", "typ", "kid", "crit", "b64", "zip"]
    for name in reserved where extraHeader[name] != nil { throw .malformed }
    var header = header(type: type, algorithm)
    header["kid"] = keyID.map { .string($0) }
    for member in extraHeader.members { header[member.name] = member.value }
    return try text(of: header, payload) { input throws(OpenSSLError) in
      try key.sign(input, scheme: scheme)
    }
  }

  /// A token with a code by a shared secret, HS256.
  package static func sign(payload: [UInt8], type: String?, with secret: Secret) throws(JOSEError) -> String {
    // RFC 7518 section 3.2: the secret is at least as long as the hash.
    guard secret.count >= HashAlgorithm.sha256.byteCount else { throw .unusableKey }
    return try text(of: header(type: type, .hs256), payload) { input throws(OpenSSLError) in
      try HMACContext(.sha256, key: secret).code(for: input)
    }
  }

  private static func header(type: String?, _ algorithm: SignatureAlgorithm) -> JSONObject {
    var header = JSONObject()
    header["typ"] = type.map { .string($0) }
    header["alg"] = .string(algorithm.rawValue)
    return header
  }

  private static func text(
    of header: JSONObject,
    _ payload: [UInt8],
    signedBy sign: ([UInt8]) throws(OpenSSLError) -> [UInt8]
  ) throws(JOSEError) -> String {
    var text: [UInt8] = []
    Base64URL.append(JSON.object(header).serialized, to: &text)
    text.append(UInt8(ascii: "."))
    Base64URL.append(payload, to: &text)
    let signingInput = text
    let signature = try library { () throws(OpenSSLError) in try sign(signingInput) }
    text.append(UInt8(ascii: "."))
    Base64URL.append(signature, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
