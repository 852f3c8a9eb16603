import JSON
import OpenSSL

/// What the header of an encrypted token says about its key, RFC 7518 section 4.6.1.
struct KeyAgreementHeader {
  /// How the content is protected.
  let encryption: ContentEncryption
  /// The writer's key for this token (`epk`), a point on P-256.
  let ephemeralKey: PublicKey
  /// Information about the writer (`apu`), which the key depends on.
  let partyU: [UInt8]
  /// Information about the reader (`apv`), which the key depends on.
  let partyV: [UInt8]

  /// Takes the members from a header whose type is the one expected.
  init(_ header: JOSEHeader, type: String?) throws(JOSEError) {
    guard header.algorithm == CompactJWE.keyManagement else { throw .unsupportedAlgorithm }
    guard let name = try header.members.text("enc") else { throw .malformed }
    guard let encryption = ContentEncryption(rawValue: name) else { throw .unsupportedAlgorithm }
    try header.requireType(type)
    self.encryption = encryption
    guard let members = header.members["epk"]?.object, let key = try? PublicKey(members: members) else {
      throw .malformed
    }
    guard case .ec(.p256, _, _) = key.components else { throw .malformed }
    ephemeralKey = key
    partyU = try header.members.party("apu")
    partyV = try header.members.party("apv")
  }
}

extension JSONObject {
  fileprivate func party(_ name: String) throws(JOSEError) -> [UInt8] {
    guard let text = try text(name) else { return [] }
    guard let bytes = Base64URL.decode(text) else { throw .malformed }
    return bytes
  }
}
