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

/// The second factors of one user at a realm of PingAM, accessed with the user's own session.
@EventLoop
final class AMUserDevices: DeviceDirectory {
  /// The user's ID in the realm, which is not the display name.
  let user: String
  /// The user's ID at the whole server, if the server sent one.
  let universalID: String?
  var origin: Origin { session.realm.origin }
  var identity: [String] { [session.realm.text, user] }
  private let session: SessionGrant
  private let address: WebURL

  /// The type of a bound key.
  nonisolated static let binding = "BINDING"
  private static let kinds = ["push", "oath", "webauthn", "binding"]
  private static let largestDocument = 256 * 1024
  private static let maximumCount = 64

  /// Asks the realm for the user of the session.
  init(_ session: SessionGrant) async throws {
    let address = session.realm.appending(path: "sessions")?.appending(query: [("_action", "getSessionInfo")])
    guard let address else { throw RPCError.serverError.withCause(.malformed) }
    let document = try await Self.send(.post, address, [:], in: session, version: "2.1")
    guard let user = document["username"]?.string, (1...256).contains(user.utf8.count), user != ".",
      user != "..",
      let devices = session.realm.appending(path: "users/\(FormEncoding.encode(user))/devices/2fa")
    else { throw RPCError.serverError.withCause(.malformed) }
    (self.session, self.user, self.address) = (session, user, devices)
    universalID = document["universalId"]?.string
  }

  func checkCurrent() throws { if session.isOver() { throw RPCError.expired } }

  /// Returns the devices of all kinds that the server supports; older servers support fewer kinds.
  func list() async throws -> [UserDevice] {
    var (devices, hasAny) = ([UserDevice](), false)
    for kind in Self.kinds {
      guard let all = try await list(kind) else { continue }
      devices += all
      hasAny = true
    }
    guard hasAny else { throw RPCError.serverError.withCause(.http, status: 404) }
    return devices
  }

  private func list(_ kind: String) async throws -> [UserDevice]? {
    guard let address = address.appending(path: kind)?.appending(query: [("_queryFilter", "true")]) else {
      throw RPCError.noSuch("device")
    }
    let document: JSON
    do { document = try await send(.get, address) } catch let error as RPCError where error.isNotFound {
      return nil
    }
    guard let devices = document["result"]?.array, devices.count <= Self.maximumCount else {
      throw RPCError.serverError.withCause(.malformed)
    }
    return devices.compactMap { UserDevice(pingAM: $0, type: kind.uppercased()) }
  }

  func delete(_ device: DeviceName) async throws {
    do { _ = try await send(.delete, try one(device)) } catch let error as RPCError where error.isNotFound {
    }
  }

  func rename(_ device: DeviceName, to nickname: String) async throws {
    let body: JSON = [
      "_id": .string(device.id), "deviceName": .string(nickname), "uuid": .string(device.id),
    ]
    _ = try await send(.put, try one(device), body, [CourierHeader("If-Match", "*")])
  }

  private func one(_ device: DeviceName) throws -> WebURL {
    let kind = device.type.lowercased()
    guard Self.kinds.contains(kind), device.id.isIdentifier,
      let address = address.appending(path: "\(kind)/\(device.id)")
    else { throw RPCError.noSuch("device") }
    return address
  }

  private func send(
    _ method: CourierRequest.Method,
    _ address: WebURL,
    _ body: JSON? = nil,
    _ headers: [CourierHeader] = []
  ) async throws -> JSON {
    try checkCurrent()
    return try await Self.send(method, address, body, headers, in: session, version: "1.0")
  }

  /// Sends a request and returns the document of a successful response.
  private static func send(
    _ method: CourierRequest.Method,
    _ address: WebURL,
    _ body: JSON? = nil,
    _ headers: [CourierHeader] = [],
    in session: SessionGrant,
    version: String
  ) async throws -> JSON {
    var headers = headers + [session.field]
    // Servers reject requests without this header, as a protection against cross-site requests.
    headers.append(CourierHeader("Accept-API-Version", "resource=\(version), protocol=1.0"))
    if body != nil { headers.append(CourierHeader("Content-Type", "application/json")) }
    let request = CourierRequest(method, address, headers: headers, body: body?.serialized ?? [])
    let response = try await session.send(request)
    switch response.status {
    case 204: return [:]
    case 200..<300: break
    case 401, 403:
      throw RPCError.policyRefuses.with(["policy": "device-management"])
        .withMessage(
          "the server does not let this user's session manage devices: an administrator may allow it"
        )
    case 404: throw RPCError.noSuch("device")
    case let status: throw RPCError.serverError.withCause(.http, status: status)
    }
    guard response.body.count <= Self.largestDocument, let document = try? JSON(parsing: response.body),
      document.object != nil
    else { throw RPCError.serverError.withCause(.malformed) }
    return document
  }
}

extension UserDevice {
  /// Parses a device from PingAM's JSON; fails if its ID is not usable in requests.
  fileprivate init?(pingAM json: JSON, type: String) {
    guard let id = (json["uuid"] ?? json["_id"])?.string, id.isIdentifier else { return nil }
    self.init(
      id: id,
      type: type,
      // Listed devices are always active.
      status: "ACTIVE",
      nickname: (json["deviceName"]?.string).flatMap { DisplayText.trimmed($0) },
      createdAt: (json["createdDate"]?.int).flatMap { milliseconds in
        Self.instants.contains(milliseconds) ? Timestamp(milliseconds: Int64(milliseconds)) : nil
      }
    )
  }

  /// From 1970 to 9999, in milliseconds.
  private static let instants = 0...253_402_300_799_999
}
