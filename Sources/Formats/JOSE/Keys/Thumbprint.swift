import JSON
import OpenSSL

/// The name of a key that follows from the key alone, RFC 7638.
enum Thumbprint {
  /// SHA-256 over the required members in the order of their names, in base64url.
  static func of(_ material: JWK.Material) -> String {
    var text: [UInt8]
    switch material {
    case .asymmetric:
      let members = material.members.members.sorted { $0.name < $1.name }
      text = JSON.object(JSONObject(members.map { ($0.name, $0.value) })).serialized
    case .symmetric(let secret):
      // Written by hand, so that the secret can be wiped afterwards.
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
