internal import JOSE
package import JSON
package import OpenSSL

/// A token that a test assembles from parts, so that any part can be wrong.
package struct Forgery {
  package var header: JSONObject
  package var claims: JSONObject
  package var key: PrivateKey
  package var scheme: SignatureScheme

  /// Raw texts that replace the header or the claims.
  package var rawHeader: String?
  package var rawClaims: String?
  /// Transforms the finished token.
  package var ending: (String) -> String = { $0 }

  package init(header: JSONObject, claims: JSONObject, key: PrivateKey, scheme: SignatureScheme) {
    (self.header, self.claims, self.key, self.scheme) = (header, claims, key, scheme)
  }

  /// The compact token.
  package func text() throws -> String {
    let segments = [
      rawHeader.map { Array($0.utf8) } ?? JSON.object(header).serialized,
      rawClaims.map { Array($0.utf8) } ?? JSON.object(claims).serialized,
    ]
    let input = segments.map { Base64URL.encode($0) }.joined(separator: ".")
    return ending(input + "." + Base64URL.encode(try key.sign(Array(input.utf8), scheme: scheme)))
  }
}

/// One defect of a token, and the expected error.
package struct Defect<Rejection: Error & Equatable> {
  package let name: String
  package let rejection: Rejection
  package let apply: (inout Forgery) -> Void

  package init(_ name: String, _ rejection: Rejection, _ apply: @escaping (inout Forgery) -> Void) {
    (self.name, self.rejection, self.apply) = (name, rejection, apply)
  }

  /// A claim with another value, or without one.
  package static func claim(_ name: String, _ value: JSON?, _ rejection: Rejection) -> Defect {
    Defect("\(name) \(value?.text ?? "absent")", rejection) { $0.claims[name] = value }
  }

  /// A header member with another value, or without one.
  package static func header(_ name: String, _ value: JSON?, _ rejection: Rejection) -> Defect {
    Defect("header \(name) \(value?.text ?? "absent")", rejection) { $0.header[name] = value }
  }
}
