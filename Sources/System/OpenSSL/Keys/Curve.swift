/// The NIST curves of RFC 7518 section 6.2.1.1.
public enum Curve: Sendable, CaseIterable {
  case p256, p384, p521

  /// The length of a coordinate, and of each half of a signature, in bytes.
  public var byteCount: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The name of the curve in the library.
  var name: StaticString {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    case .p521: "secp521r1"
    }
  }
}
