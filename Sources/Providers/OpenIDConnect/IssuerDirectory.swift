public import Configuration
internal import ControlAPI
public import CourierLink
internal import CourierProtocol
public import EventLoop
public import Glibc
internal import JOSE
internal import JSON
internal import JSONRPC
internal import Journal
public import Settings
internal import Text
public import Time
internal import WebAddress

/// The endpoints and keys of issuers, fetched through the courier and cached.
@EventLoop
public final class IssuerDirectory {
  public let courier: CourierClient
  private let settings: Settings
  private let time: TimeSource
  private var known: [String: (document: ProviderMetadata, until: Duration)] = [:]
  private var keySets: [String: (keys: JWKSet, until: Duration)] = [:]
  private var refetched: [String: Duration] = [:]

  private static let shortestLife = Duration.seconds(300)
  private static let longestLife = Duration.seconds(86_400)
  private static let refetchPause = Duration.seconds(60)

  /// Creates a directory that fetches documents through `courier`.
  public init(courier: CourierClient, settings: Settings, time: TimeSource) {
    (self.courier, self.settings, self.time) = (courier, settings, time)
  }

  public var configuration: Configuration { settings.current }

  /// Verifies an owner's ID token from one of these issuers.
  ///
  /// The reason of a rejection is only in the journal, unless `isOwn` is true: then the daemon itself
  /// requested the token from the issuer, and the error explains the rejection.
  public func verify(
    _ text: String,
    issuers: [String],
    nonce: String?,
    accessToken: String? = nil,
    isOwn: Bool = false,
    owner: uid_t
  ) async throws -> IDToken {
    guard let clientID = configuration.clientID else { throw RPCError.notConfigured.withCause(.noClientID) }
    let algorithms = Set(configuration.idTokenAlgorithms.compactMap(SignatureAlgorithm.init(rawValue:)))
    var rejected: (reason: IDToken.Rejection, expected: IDToken.Expectation)?
    var unavailable: RPCError?
    for issuer in issuers {
      let expected = IDToken.Expectation(
        issuer: issuer,
        clientID: clientID,
        algorithms: algorithms,
        nonce: nonce,
        accessToken: accessToken
      )
      do { return try await verify(text, expected) } catch let error as IDToken.Rejection {
        // With several issuers, `unknownKey` only shows that another issuer may have signed the token.
        if error != .unknownKey || issuers.count == 1 { rejected = (error, expected) }
      } catch let error as RPCError {
        // An attacker that blocks access to the keys of one issuer must not block the other issuers.
        unavailable = unavailable ?? error
      }
    }
    // A token without a matching key may come from the unavailable issuer.
    if let unavailable, rejected == nil || rejected?.reason == .signature { throw unavailable }
    let reason = rejected?.reason ?? .issuer
    Journal.warning("an ID token was rejected", ["reason": "\(reason)", "uid": owner])
    guard isOwn, let expected = rejected?.expected, let keys = try? await keys(of: expected.issuer) else {
      throw RPCError.tokenRejected
    }
    let claims = IDToken.signedClaims(text, keys: keys, expected)
    throw RPCError.rejected(reason, claims ?? [:], expected, now: time.now())
  }

  /// Verifies a token.
  ///
  /// If the token's key is unknown, it may be new: fetches the issuer's keys again, at most once a minute.
  private func verify(_ text: String, _ expected: IDToken.Expectation) async throws -> IDToken {
    let keys = try await keys(of: expected.issuer)
    do { return try IDToken(verifying: text, keys: keys, expected, now: time.now()) } catch .unknownKey {
      guard configuration.issuerKeyFiles[expected.issuer] == nil, mayRefetch(expected.issuer) else {
        throw IDToken.Rejection.unknownKey
      }
      keySets[expected.issuer] = nil
      return try IDToken(
        verifying: text,
        keys: try await self.keys(of: expected.issuer),
        expected,
        now: time.now()
      )
    }
  }

  private func mayRefetch(_ issuer: String) -> Bool {
    let now = time.uptime()
    if let last = refetched[issuer], now - last < Self.refetchPause { return false }
    refetched[issuer] = now
    return true
  }

  private func keys(of issuer: String) async throws -> JWKSet {
    if let file = configuration.issuerKeyFiles[issuer] { return try Self.keys(inFile: file) }
    if let known = keySets[issuer], known.until > time.uptime() { return known.keys }
    let metadata = try await metadata(of: issuer)
    guard let url = metadata[.keys] else { throw RPCError.issuerLacks(.keys, metadata) }
    let (json, life) = try await document(url)
    guard let keys = try? JWKSet(json) else {
      throw RPCError.issuerFailed.withCause(.malformed, at: url.origin)
    }
    keySets[issuer] = (keys, time.uptime() + life)
    return keys
  }

  /// Fetches the metadata of an issuer now and checks it, as preparation for a sign-on.
  public func meet(_ issuer: String, within limit: Duration) async throws {
    _ = try await discover(issuer, within: limit)
  }

  /// Returns the metadata of an issuer from the cache; fetches it if it is missing there or has expired.
  public func metadata(of issuer: String) async throws -> ProviderMetadata {
    if let known = known[issuer], known.until > time.uptime() { return known.document }
    return try await discover(issuer)
  }

  private func discover(_ issuer: String, within limit: Duration? = nil) async throws -> ProviderMetadata {
    guard let url = WebURL(issuer)?.appending(path: "/.well-known/openid-configuration") else {
      throw RPCError.issuerFailed.withCause(.discovery)
    }
    let (json, life) = try await document(url, refused: .discovery, within: limit)
    guard let metadata = ProviderMetadata(json, issuer: issuer) else {
      Journal.warning("an issuer's discovery document was rejected")
      guard let other = json["issuer"]?.string, !other.hasSameBytes(as: issuer) else {
        throw RPCError.issuerFailed.withCause(.discovery, at: url.origin)
      }
      throw RPCError.issuerFailed.withCause(.issuerMismatch, at: url.origin)
        .withMessage("the issuer failed: \(issuer) identifies itself as \(DisplayText.clean(other))")
    }
    known[issuer] = (metadata, time.uptime() + life)
    return metadata
  }

  /// Fetches a document; `refused` is the cause in the error if the issuer responds with a 3xx or 4xx status.
  private func document(
    _ url: WebURL,
    refused: ErrorCause = .http,
    within limit: Duration? = nil
  ) async throws -> (JSON, life: Duration) {
    let response: CourierResponse
    var request = CourierRequest(.get, url)
    if let limit { request.timeout = limit }
    do { response = try await courier.send(request) } catch {
      throw error.issuerError(at: url.origin)
    }
    guard response.status == 200 else {
      let cause = (300..<500).contains(response.status) ? refused : .http
      throw RPCError.issuerFailed.withCause(cause, status: response.status, at: url.origin)
    }
    guard let json = try? JSON(parsing: response.body) else {
      throw RPCError.issuerFailed.withCause(.malformed, at: url.origin)
    }
    let directives = response.values(of: "Cache-Control").joined(separator: ",").split(separator: ",")
    let age = directives.lazy.compactMap { directive -> Int? in
      let text = directive.drop { $0 == " " }.lowercased()
      return text.hasPrefix("max-age=") ? Int(text.dropFirst("max-age=".count)) : nil
    }.first
    let life = Duration.seconds(age ?? 0)
    return (json, min(max(life, Self.shortestLife), Self.longestLife))
  }

  private static func keys(inFile path: String) throws -> JWKSet {
    guard let file = fopen(path, "re") else {
      Journal.error("the keys of an issuer cannot be read", ["reason": String(cString: strerror(errno))])
      throw RPCError.internalFailure
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256 * 1024)
    let count = fread(&bytes, 1, bytes.count, file)
    guard let keys = (try? JSON(parsing: bytes[..<count])).flatMap({ try? JWKSet($0) }) else {
      Journal.error("the keys of an issuer cannot be read", ["reason": "not a JSON Web Key Set"])
      throw RPCError.internalFailure
    }
    return keys
  }
}
