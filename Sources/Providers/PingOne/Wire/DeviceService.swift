internal import ControlAPI
public import CourierLink
internal import CourierProtocol
public import EventLoop
internal import JOSE
internal import JSON
internal import JSONRPC
internal import Journal
internal import OpenSSL
public import Time
internal import WebAddress

/// The device service of a PingOne gateway, called through an untrusted courier.
///
/// The body of a request is encrypted to the platform, and the device key signs a proof of the request. The
/// platform signs each response and encrypts it to a key that the request contains. Any other response is
/// an error. Only the platform's signed key set is fetched without proof and encryption.
@EventLoop
public final class DeviceService {
  private let carry: CourierExchange
  let time: TimeSource
  let description: DeviceDescription
  /// RFC 7638 thumbprints of the pinned platform keys; if empty, a platform's first key set is trusted.
  public var pinnedKeys: Set<String>

  private static let longestSkew = 15 * 60

  public init(
    exchange: @escaping CourierExchange,
    description: DeviceDescription,
    pinnedKeys: Set<String>,
    time: TimeSource
  ) {
    (carry, self.description, self.pinnedKeys, self.time) = (exchange, description, pinnedKeys, time)
  }

  /// Sends one request and opens its response.
  ///
  /// `keys` prove the request (default: the identity's keys). `platformKeys` encrypt it and verify its
  /// response (default: the stored keys). If the platform reports a wrong clock, the request is repeated once
  /// with the time of the platform's signed response.
  func send(
    _ call: DeviceCall,
    as credentials: DeviceCredentials,
    provenBy keys: IdentityKeys? = nil,
    to platformKeys: [JWK]? = nil
  ) async throws(PlatformError) -> DeviceResponse {
    let keys = keys ?? credentials.keys
    let response = try await attempt(call, as: credentials, keys, platformKeys)
    guard response.status == 401, response.body["code"]?.string == "CLOCK_SKEW" else {
      return try Self.checked(response, at: credentials.platform.url.origin)
    }
    let offset = credentials.platform.clockOffset ?? 0
    let canRepeat = abs(offset) <= Self.longestSkew && call.isInTime() && credentials.isThere()
    guard canRepeat else { throw .clockOff(by: offset) }
    let second = try await attempt(call, as: credentials, keys, platformKeys)
    return try Self.checked(second, at: credentials.platform.url.origin)
  }

  /// Throws an error if the platform failed (status 5xx) or did not accept the device's proof (status 401).
  private static func checked(
    _ response: DeviceResponse,
    at origin: Origin
  ) throws(PlatformError) -> DeviceResponse {
    if response.status >= 500 { throw .failed(.http, status: response.status, at: origin) }
    if response.status == 401 {
      let isUnknown = response.body["code"]?.string == "DEVICE_UNKNOWN"
      throw isUnknown ? .deviceUnknown : .failed(.http, status: 401, at: origin)
    }
    return response
  }

  private func attempt(
    _ call: DeviceCall,
    as credentials: DeviceCredentials,
    _ keys: IdentityKeys,
    _ platformKeys: [JWK]?
  ) async throws(PlatformError) -> DeviceResponse {
    let sealed = try SealedCall(
      call,
      as: credentials,
      provenBy: keys,
      to: platformKeys,
      now: correctedNow(credentials.platform)
    )
    let expected = sealed.expected
    let outer = try await exchange((consume sealed).request, with: credentials.platform)
    let heardAt = time.now()
    let open = { () throws(PlatformError) in
      try DeviceResponse(
        opening: outer.body,
        with: expected.key,
        // Accept also keys that were stored during the request.
        platformKeys: platformKeys ?? credentials.platform.keys,
        request: expected.id,
        device: expected.device
      )
    }
    let response: DeviceResponse
    do { response = try open() } catch {
      // Fetch the platform's keys and open the same response again. Do not repeat the request: the platform
      // may have processed it already.
      guard platformKeys == nil, error == .unknownKey, await credentials.refreshPlatformKeys() else {
        throw error
      }
      response = try open()
    }
    credentials.platform.clockOffset = response.issuedAt - heardAt.seconds
    (credentials.platform.isReachable, credentials.platform.lastContact) = (true, heardAt)
    return response
  }

  /// Returns the issue time of a proof in Unix seconds.
  ///
  /// It is the platform's time if the clock offset is known and at most 15 minutes, else this machine's time.
  private func correctedNow(_ platform: PlatformRecord) -> Int {
    let offset = platform.clockOffset ?? 0
    return time.now().seconds + (abs(offset) <= Self.longestSkew ? offset : 0)
  }

  func exchange(
    _ request: consuming CourierRequest,
    with platform: PlatformRecord
  ) async throws(PlatformError) -> CourierResponse {
    let response: CourierResponse
    let origin = request.url.origin
    do { response = try await carry(request) } catch {
      // A cancelled request does not show that the platform is unreachable.
      if !Task.isCancelled { platform.isReachable = false }
      Journal.debug("a request did not reach the platform", ["reason": error])
      throw PlatformError(error, at: origin)
    }
    guard response.status == 200 else {
      platform.isReachable = false
      throw .failed(.http, status: response.status, at: origin)
    }
    return response
  }
}

/// The description of the device for the platform when trust is established.
public struct DeviceDescription: Sendable {
  /// The name of the machine.
  public let name: String
  /// The version of its operating system.
  public let osVersion: String
  public let applicationID: String
  /// The version of this program.
  public let version: String

  public init(name: String, osVersion: String, applicationID: String, version: String) {
    (self.name, self.osVersion, self.applicationID, self.version) = (name, osVersion, applicationID, version)
  }
}
