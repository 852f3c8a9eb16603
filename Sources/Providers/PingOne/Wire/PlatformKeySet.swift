internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
public import JOSE
internal import JSON
internal import JSONRPC
internal import WebAddress

/// The keys with which a platform signs and decrypts, published in a JWS that one of them signs.
public struct PlatformKeySet: Sendable {
  public let keys: [JWK]
  /// Version of the set; a set with a lower version than the stored set is rejected.
  public let version: Int
  /// The set as the platform signed it.
  let announcement: String

  private static let type = "platform-keys+jwt"

  init(keys: [JWK], version: Int, announcement: String) {
    (self.keys, self.version, self.announcement) = (keys, version, announcement)
  }

  /// Verifies a signed key set; a pinned key must have signed it.
  ///
  /// Without pinned keys, a key of `held` must have signed it. If `held` is `nil` too, any key in the set may
  /// have signed it. Throws `refused(.trustFailed)` if the signature is not valid, if another key signed the
  /// set, or if its version is lower than the version of `held`.
  init(
    verifying bytes: [UInt8],
    held: PlatformKeySet?,
    pinned: Set<String>,
    from origin: Origin? = nil
  ) throws(PlatformError) {
    guard let text = String(validating: bytes, as: UTF8.self), let token = try? CompactJWS(parsing: text),
      token.header.type == Self.type
    else { throw .failed(.malformed, at: origin) }
    // The set must be parsed to find its signing key. It is discarded unless that key is trusted and the
    // signature is valid.
    guard let announced = Self.announced(in: bytes) else { throw .failed(.malformed, at: origin) }
    let trusted = announced.filter { key in
      if !pinned.isEmpty { return pinned.contains(key.thumbprint) }
      return held?.keys.contains { $0.thumbprint == key.thumbprint } ?? true
    }
    guard !trusted.isEmpty else {
      throw .refused(.trustFailed.withCause(pinned.isEmpty ? .notPlatform : .notPinned, at: origin))
    }
    guard let verified = try? token.verified(with: JWKSet(trusted), allowing: [.es256]),
      let claims = try? verified.claims(), let version = claims["version"]?.int
    else { throw .refused(.trustFailed.withCause(.notPlatform, at: origin)) }
    guard version >= held?.version ?? 0 else {
      throw .refused(.trustFailed.withCause(.notPlatform, at: origin))
    }
    self.init(keys: announced, version: version, announcement: text)
  }

  private static func announced(in text: [UInt8]) -> [JWK]? {
    let segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3, let bytes = Base64URL.decode(segments[1]),
      let json = try? JSON(parsing: bytes),
      let set = try? JWKSet(json), !set.keys.isEmpty
    else { return nil }
    return set.keys.filter { $0.publicKey != nil }
  }
}

extension DeviceService {
  public func keys(of record: PlatformRecord) async throws(PlatformError) -> PlatformKeySet {
    try keySet(try await fetchKeys(of: record), of: record)
  }

  /// Fetches the platform's signed key set without verifying it.
  func fetchKeys(of platform: PlatformRecord) async throws(PlatformError) -> [UInt8] {
    guard let url = platform.url.appending(path: "/device/v1/platform-keys") else {
      throw .failed(.malformed)
    }
    return try await exchange(CourierRequest(.get, url), with: platform).body
  }

  /// Returns the key set of an announcement, verified with the keys that are stored and pinned now.
  func keySet(_ announcement: [UInt8], of platform: PlatformRecord) throws(PlatformError) -> PlatformKeySet {
    try PlatformKeySet(
      verifying: announcement,
      held: platform.held,
      pinned: pinnedKeys,
      from: platform.url.origin
    )
  }
}
