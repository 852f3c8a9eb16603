/// How the content of an encrypted token is protected, RFC 7518 section 5.3: AES-GCM only.
package enum ContentEncryption: String, CaseIterable, Sendable {
  case a128GCM = "A128GCM"
  case a192GCM = "A192GCM"
  case a256GCM = "A256GCM"

  /// The length of the key in bytes.
  var keyByteCount: Int {
    switch self {
    case .a128GCM: 16
    case .a192GCM: 24
    case .a256GCM: 32
    }
  }
}
