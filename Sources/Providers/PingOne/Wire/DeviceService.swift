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
/// Requests are encrypted to the platform and proven by the device key. The platform signs responses and
/// encrypts them to a key of the request. Anything else is not a response and changes nothing.
@EventLoop
public final class DeviceService {
  private let carry: CourierExchange
  let time: TimeSource
  let description: DeviceDescription
  /// RFC 7638 thumbprints of the trusted platform keys; if empty, the first key of a platform is trusted.
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
  /// `keys` prove the request, by default those of the identity. `platformKeys` encrypt it, by default the
  /// stored ones. A wrong clock is corrected once with the platform's signed time.
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

  /// Throws if the platform failed or does not know the device; neither is a response to the request.
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
      // Do not repeat the request: it may have had an effect, and it may no longer be valid.
      guard platformKeys == nil, error == .unknownKey, await credentials.refreshPlatformKeys() else {
        throw error
      }
      response = try open()
    }
    credentials.platform.clockOffset = response.issuedAt - heardAt.seconds
    (credentials.platform.isReachable, credentials.platform.lastContact) = (true, heardAt)
    return response
  }

  /// Returns the time for proofs by the platform's clock, if its offset is known and plausible.
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
      // A cancelled request says nothing about the platform.
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
