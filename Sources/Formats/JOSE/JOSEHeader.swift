package import JSON

/// The protected header of a token, RFC 7515 section 4; its keys and links are shown, but never followed.
package struct JOSEHeader: Sendable {
  /// The algorithm's name, as written.
  package let algorithm: String
  /// The type of the whole token (`typ`), as written.
  package let type: String?
  /// The key that the writer claims to have used (`kid`).
  package let keyID: String?
  /// A public key that the writer sent along (`jwk`), which proves nothing by itself.
  package let jwk: JSON?
  /// Everything in the header.
  package let members: JSONObject

  /// Reads a header strictly; a header with `crit`, `b64` or `zip` is refused, since we know no extension.
  init(parsing bytes: [UInt8]) throws(JOSEError) {
    guard let members = try? JSON(parsing: bytes, maximumDepth: 8).object else { throw .malformed }
    for name in ["crit", "b64", "zip"] where members[name] != nil { throw .unsupportedHeader }
    guard let algorithm = try members.text("alg") else { throw .malformed }
    self.algorithm = algorithm
    type = try members.text("typ")
    keyID = try members.text("kid")
    jwk = members["jwk"]
    if let jwk, jwk.object == nil { throw .malformed }
    self.members = members
  }

  /// Refuses a token of another type than expected; types compare byte by byte.
  func requireType(_ expected: String?) throws(JOSEError) {
    guard let expected else { return }
    guard let type, type.hasSameBytes(as: expected) else { throw .wrongType }
  }
}

extension JSONObject {
  /// The text of a member that may be absent, but not something else.
  func text(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw .malformed }
    return text
  }
}
