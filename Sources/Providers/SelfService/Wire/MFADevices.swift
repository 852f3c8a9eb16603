internal import Configuration
internal import ControlAPI
internal import CourierLink
internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Text
internal import Time
internal import UserDevices
internal import WebAddress

/// PingOne's "MFA Devices" of one user, asked with the user's own token.
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
  /// How far the clock of PingOne is ahead of this machine's, in seconds, as far as it was told.
  private(set) var clockOffset = 0

  /// In seconds: beyond this a passcode may not be taken any more.
  private static let largestClockOffset = 60
  private static let json = "application/json"
  private static let largestDocument = 256 * 1024
  /// A tenant allows 15 at most.
  private static let maximumCount = 64

  init(
    _ grant: Grant,
    _ machine: String,
    carriedBy carry: @escaping CourierExchange,
    isOver: @escaping @EventLoop () -> Bool,
    time: TimeSource
  ) throws {
    // Elsewhere a user's id is any text; in an address it is not.
    guard grant.user.id.isIdentifier,
      let address = grant.tenant.api.appending(
        path: "/v1/environments/\(grant.tenant.environment)/users/\(grant.user.id)/devices"
      )
    else { throw RPCError.serverError.because(.malformed) }
    identity = [grant.tenant.environment, grant.user.id]
    (self.carry, self.address, token) = (carry, address, grant.accessToken)
    self.machine = machine
    (owner, self.isOver, self.time) = (grant.owner, isOver, time)
  }

  func checkCurrent() throws { if isOver() { throw RPCError.expired } }

  var isClockWrong: Bool { abs(clockOffset) > Self.largestClockOffset }

  /// The instant that PingOne has now.
  var now: Timestamp { time.now().adding(seconds: clockOffset) }

  func list() async throws -> [UserDevice] {
    let document: JSON
    do { document = try await send(.get, address) } catch let error as RPCError where error.isNotFound {
      // It is the user or the environment that is not there.
      throw RPCError.serverError.because(.http, status: 404)
    }
    guard let devices = document["_embedded"]?["devices"]?.array ?? (document["count"] == 0 ? [] : nil),
      devices.count <= Self.maximumCount
    else { throw RPCError.serverError.because(.malformed) }
    return devices.compactMap(UserDevice.init(pingOne:))
  }

  /// Has a passcode device made, called as this machine is; its secret is told this once.
  func create() async throws -> NewDevice {
    try checkCurrent()
    return try NewDevice(
      try await send(.post, address, ["type": "TOTP", "nickname": .string(machine)], making: true)
    )
  }

  /// Proves a new device by a passcode of its own.
  func activate(_ id: String, passcode: String) async throws {
    let type = "application/vnd.pingidentity.device.activate+json"
    let document = try await send(.post, try one(id), ["otp": .string(passcode)], type: type)
    guard document["status"] == "ACTIVE" else { throw RPCError.passcodeNotVerified }
  }

  /// A device; `nil` if there is none of that id.
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

  /// Sends a request and returns the document of a response that says yes.
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
    request.turn = CourierRequest.Turn(of: owner)
    let response: CourierResponse
    do { response = try await carry(request) } catch { throw error.rpcError(at: request.url.origin) }
    if let date = response.values(of: "Date").first.flatMap({ Timestamp(httpDate: $0) }) {
      clockOffset = date.seconds - time.now().seconds
    }
    if response.status == 204 { return [:] }
    guard response.body.count <= Self.largestDocument else { throw RPCError.serverError.because(.malformed) }
    let document = try? JSON(parsing: response.body)
    guard (200..<300).contains(response.status) else {
      throw RPCError(refusedBy: response, document ?? [:], making: making, at: request.url.origin)
    }
    guard let document, document.object != nil else { throw RPCError.serverError.because(.malformed) }
    return document
  }
}
