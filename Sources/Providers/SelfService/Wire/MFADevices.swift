internal import Accounts
internal import Configuration
internal import ControlAPI
internal import CourierLink
internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import OATH
internal import OATHExports
internal import OpenSSL
internal import Text
internal import Time
internal import UserDevices
internal import WebAddress

/// PingOne's "MFA Devices" API for one user, called with the user's own token.
@EventLoop
final class MFADevices: DeviceDirectory {
  let identity: [String]
  private let machine: String
  private let carry: CourierExchange
  private let owner: uid_t
  private let address: WebURL
  private let token: String
  private let isOver: @EventLoop () -> Bool
  private let time: TimeSource
  /// Number of seconds by which PingOne's clock is ahead of this machine's clock.
  ///
  /// It is 0 before the first response with a `Date` header.
  private(set) var clockOffset = 0

  /// Maximum clock offset in seconds; with a larger one, PingOne may reject passcodes.
  private static let largestClockOffset = 60
  private static let json = "application/json"
  private static let largestDocument = 256 * 1024
  /// A response with more devices is rejected; a tenant allows at most 15.
  private static let maximumCount = 64

  init(
    _ grant: TokenGrant,
    _ machine: String,
    carriedBy carry: @escaping CourierExchange,
    time: TimeSource
  ) throws {
    // OpenID Connect allows any text as the user's ID, but a URL path does not.
    guard grant.user.id.isIdentifier,
      let address = grant.tenant.api.appending(
        path: "/v1/environments/\(grant.tenant.environment)/users/\(grant.user.id)/devices"
      )
    else { throw RPCError.serverError.withCause(.malformed) }
    identity = [grant.tenant.environment, grant.user.id]
    (self.carry, self.address, token) = (carry, address, grant.accessToken)
    self.machine = machine
    (owner, isOver, self.time) = (grant.owner, grant.isOver, time)
  }

  func checkCurrent() throws { if isOver() { throw RPCError.expired } }

  var isClockWrong: Bool { abs(clockOffset) > Self.largestClockOffset }

  /// The current time by PingOne's clock.
  var now: Timestamp { time.now().adding(seconds: clockOffset) }

  func list() async throws -> [UserDevice] {
    let document: JSON
    do { document = try await send(.get, address) } catch let error as RPCError where error.isNotFound {
      // The server does not know the user or the environment.
      throw RPCError.serverError.withCause(.http, status: 404)
    }
    guard let devices = document["_embedded"]?["devices"]?.array ?? (document["count"] == 0 ? [] : nil),
      devices.count <= Self.maximumCount
    else { throw RPCError.serverError.withCause(.malformed) }
    return devices.compactMap(UserDevice.init(pingOne:))
  }

  /// Creates a passcode device with the name of this machine; PingOne returns its secret only once.
  func create() async throws -> NewDevice {
    try checkCurrent()
    return try NewDevice(
      try await send(.post, address, ["type": "TOTP", "nickname": .string(machine)], making: true)
    )
  }

  /// Activates a new device with one of its passcodes.
  func activate(_ id: String, passcode: String) async throws {
    let type = "application/vnd.pingidentity.device.activate+json"
    let document = try await send(.post, try one(id), ["otp": .string(passcode)], type: type)
    guard document["status"] == "ACTIVE" else { throw RPCError.passcodeNotVerified }
  }

  /// Returns a device, or `nil` if it does not exist.
  func device(_ id: String) async throws -> UserDevice? {
    do { return UserDevice(pingOne: try await send(.get, try one(id))) } catch let error as RPCError
      where error.isNotFound
    { return nil }
  }

  func delete(_ device: DeviceName) async throws { try await delete(device.id) }

  func delete(_ id: String) async throws {
    do { _ = try await send(.delete, try one(id)) } catch let error as RPCError where error.isNotFound {}
  }

  func rename(_ device: DeviceName, to nickname: String) async throws {
    guard let address = try one(device.id).appending(path: "/nickname") else {
      throw RPCError.noSuch("device")
    }
    _ = try await send(.put, address, ["nickname": .string(nickname)])
  }

  private func one(_ id: String) throws -> WebURL {
    guard id.isIdentifier, let address = address.appending(path: "/" + id) else {
      throw RPCError.noSuch("device")
    }
    return address
  }

  /// Sends a request and returns the document of a successful response.
  private func send(
    _ method: CourierRequest.Method,
    _ address: WebURL,
    _ body: JSON? = nil,
    type: String = MFADevices.json,
    making: Bool = false
  ) async throws -> JSON {
    var headers = [
      CourierHeader("Authorization", "Bearer \(token)"), CourierHeader("Accept", Self.json),
    ]
    if body != nil { headers.append(CourierHeader("Content-Type", type)) }
    var request = CourierRequest(method, address, headers: headers, body: body?.serialized ?? [])
    request.priority = CourierRequest.Priority(of: owner)
    let response: CourierResponse
    do { response = try await carry(request) } catch { throw error.rpcError(at: request.url.origin) }
    if let date = response.values(of: "Date").first.flatMap({ Timestamp(httpDate: $0) }) {
      clockOffset = date.seconds - time.now().seconds
    }
    if response.status == 204 { return [:] }
    guard response.body.count <= Self.largestDocument else {
      throw RPCError.serverError.withCause(.malformed)
    }
    let document = try? JSON(parsing: response.body)
    guard (200..<300).contains(response.status) else {
      throw RPCError(refusedBy: response, document ?? [:], making: making, at: request.url.origin)
    }
    guard let document, document.object != nil else { throw RPCError.serverError.withCause(.malformed) }
    return document
  }
}

/// A passcode device that PingOne has created; it is valid after a passcode has activated it.
struct NewDevice {
  let id: String
  let secret: OATHSecret
  /// The issuer in the key URI, cleaned for display; `nil` without one.
  let issuer: String?

  private static let type: JSON = "TOTP"
  private static let digits = [6, 8]
  private static let periods = 15...60

  /// Parses the response to the creation request.
  ///
  /// Throws `UnusableDevice` if the device exists but its parameters are not valid.
  init(_ document: JSON) throws {
    guard let id = document["id"]?.string, id.isIdentifier else {
      throw RPCError.serverError.withCause(.malformed)
    }
    do {
      guard document["status"] == "ACTIVATION_REQUIRED", (document["type"] ?? Self.type) == Self.type,
        let text = document["secret"]?.string,
        let secret = Secret(lenientBase32: text)
      else { throw RPCError.serverError.withCause(.malformed) }
      // A tenant can set the parameters of the key URI; without it the standard ones apply.
      let uri = try document["keyUri"]?.string.map { try KeyURI($0) }
      let record = try uri.map { try OATHRecord(uri: $0) }
      let credential = try OATHCredential(
        record ?? OATHRecord(type: .totp, secret: text, issuer: nil, label: nil)
      )
      guard case .totp(let period) = credential.kind, Self.periods.contains(period),
        Self.digits.contains(credential.digits), Self.areSame(credential.secret, secret)
      else { throw RPCError.serverError.withCause(.malformed) }
      (self.id, self.secret) = (id, OATHSecret(credential))
      issuer = uri?.names().issuer.flatMap { DisplayText.trimmed($0) }
    } catch { throw UnusableDevice(id: id) }
  }

  private static func areSame(_ one: Secret, _ other: Secret) -> Bool {
    one.withBytes { one in other.withBytes { one.elementsEqual($0) } }
  }
}

/// A created device with passcodes that cannot be computed; the caller must remove it.
struct UnusableDevice: Error {
  let id: String
}

extension UserDevice {
  /// Parses a device from PingOne's JSON; fails if its ID is not usable in requests.
  init?(pingOne json: JSON) {
    guard let id = json["id"]?.string, id.isIdentifier, let type = json["type"]?.string else { return nil }
    self.init(
      id: id,
      type: DisplayText.clean(type, maximum: 64),
      status: DisplayText.clean(json["status"]?.string ?? "", maximum: 64),
      nickname: (json["nickname"]?.string).flatMap { DisplayText.trimmed($0) },
      createdAt: (json["createdAt"]?.string).flatMap { Timestamp(text: $0) }
    )
  }

  var isPasscodeDevice: Bool { type == "TOTP" }
  var isActive: Bool { status == "ACTIVE" }
}

// The mapping follows PingOne's documentation "Error codes". The HTTP status takes precedence, because codes
// change within a status class.

extension RPCError {
  /// Creates the error for a refused request, with a hint for the administrator.
  ///
  /// `making` is true for a device creation.
  init(refusedBy response: CourierResponse, _ document: JSON, making: Bool, at origin: Origin? = nil) {
    let details = document["details"]?.array ?? []
    let codes = ([document] + details).compactMap { $0["code"]?.string }
    switch response.status {
    case 403: self = .scopeRefused([])
    case 404: self = .noSuch("device")
    case 409 where making: self = .secondDevice
    // A rate limit has `Retry-After`; a device limit does not.
    case 429 where making && response.values(of: "Retry-After").isEmpty: self = .deviceLimit
    case 429: self = .rateLimited
    case 400..<500 where making && codes.contains("LIMIT_EXCEEDED"): self = .deviceLimit
    case 400..<500 where making && codes.contains("UNIQUENESS_VIOLATION"): self = .secondDevice
    case 400..<500 where details.contains { $0["target"]?.string == "otp" }: self = .passcodeNotVerified
    case 400..<500 where details.contains { $0["code"] == "INVALID_VALUE" && $0["target"]?.string == "type" }:
      self = .passcodesDisabled
    default: self = .serverError.withCause(.http, status: response.status, at: origin)
    }
  }

  /// Returns the error for a tenant that did not grant the required scopes to the application.
  static func scopeRefused(_ scopes: [String]) -> RPCError {
    let named = scopes.isEmpty ? ["the scopes p1:…:device"] : scopes
    return .scopesRefused(named).with(["scopes": .strings(scopes)])
  }

  private static let deviceLimit = RPCError.policyRefuses.with(["policy": "maxAllowedDevices"])
    .withMessage(
      "the user has as many devices as the tenant allows: remove one, or have an administrator allow more"
    )
  private static let secondDevice = RPCError.conflict
    .withMessage(
      "the user has an authenticator app already, and PingOne allows one: remove that device first"
    )
  private static let passcodesDisabled = RPCError.policyRefuses.with(["policy": "totp"])
    .withMessage("the tenant takes no authenticator apps: an administrator enables them in the MFA policy")
}
