public import JSON
import OpenSSL

/// A set of keys, RFC 7517 section 5.
public struct JWKSet: Sendable {
  /// Maximum number of keys; providers publish fewer, so a larger set is probably an attack.
  public static let maximumCount = 64

  /// The usable keys, in their order.
  public let keys: [JWK]

  /// Creates a set of keys; throws an error for a mix of symmetric and public keys, which could be confused.
  public init(_ keys: [JWK]) throws(JOSEError) {
    guard keys.count <= Self.maximumCount else { throw .tooLong }
    let publicCount = keys.count { $0.publicKey != nil }
    guard publicCount == 0 || publicCount == keys.count else { throw .ambiguousKey }
    self.keys = keys
  }

  /// Reads a set of public keys; skips unusable keys, as RFC 7517 section 5 requires.
  public init(_ json: JSON) throws(JOSEError) {
    guard let elements = json["keys"]?.array else { throw .malformed }
    guard elements.count <= Self.maximumCount else { throw .tooLong }
    keys = elements.compactMap { try? JWK($0) }
  }

  /// Returns the first key with this id.
  public func key(id: String) -> JWK? { keys.first { $0.isNamed(id) } }

  /// The set as public JSON.
  public var json: JSON { ["keys": .array(keys.map(\.json))] }

  /// Returns the key that matches a token; without `id`, exactly one key must fit the algorithm.
  ///
  /// A key that the set contains several times counts once.
  func key(id: String?, fitting algorithm: SignatureAlgorithm) throws(JOSEError) -> JWK {
    let named = id.map { id in keys.filter { $0.isNamed(id) } } ?? keys
    guard !named.isEmpty else { throw .unknownKey }
    let fitting = named.filter { $0.fits(algorithm) }
    guard let key = fitting.first else { throw id == nil ? .unknownKey : .keyMismatch }
    guard fitting.allSatisfy({ $0.thumbprint == key.thumbprint }) else { throw .ambiguousKey }
    return key
  }
}

extension JWK {
  fileprivate func isNamed(_ id: String) -> Bool { keyID?.hasSameBytes(as: id) ?? false }
}
