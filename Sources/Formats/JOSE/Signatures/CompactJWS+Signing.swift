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
    var header = JSONObject()
    header["typ"] = type.map { .string($0) }
    header["alg"] = .string(algorithm.rawValue)
    header["kid"] = keyID.map { .string($0) }
    for member in extraHeader.members { header[member.name] = member.value }
    var text: [UInt8] = []
    Base64URL.append(JSON.object(header).serialized, to: &text)
    text.append(UInt8(ascii: "."))
    Base64URL.append(payload, to: &text)
    let signingInput = text
    let signature = try library { () throws(OpenSSLError) in try key.sign(signingInput, scheme: scheme) }
    text.append(UInt8(ascii: "."))
    Base64URL.append(signature, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
