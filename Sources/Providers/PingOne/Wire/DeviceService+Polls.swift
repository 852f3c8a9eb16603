internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL

/// One device's part of a poll for several devices.
struct Poll: Sendable {
  let device: String
  let cursor: String?
  /// A JWS, signed with the device key, that contains the ID of the shared request's proof.
  let proof: String

  init(of identity: Identity, provenBy key: PrivateKey, in id: String) throws {
    guard let device = identity.deviceID else { throw PlatformError.deviceUnknown }
    (self.device, cursor) = (device, identity.cursor)
    proof = try CompactJWS.sign(
      payload: (["jti": .string(id), "sub": .string(device)] as JSON).serialized,
      type: "poll-proof+jwt",
      keyID: identity.keyID,
      with: key,
      algorithm: .es256
    )
  }

  fileprivate var json: JSON {
    var members: JSONObject = ["deviceId": .string(device), "proof": .string(proof)]
    members["cursor"] = cursor.map { .string($0) }
    return .object(members)
  }
}

extension DeviceService {
  /// Maximum number of devices in one poll.
  static let mostPolled = 500

  /// The `typ` of one device's part of the response.
  private static let partType = "poll-part+jwe"

  /// POST /polls, a long poll for several devices, proven by one of them.
  ///
  /// Returns the parts of the devices with news, by device ID.
  func poll(
    _ polls: [Poll],
    provenBy id: String,
    _ credentials: DeviceCredentials,
    wait: Int
  ) async throws(PlatformError) -> JSONObject {
    let call = DeviceCall(
      method: .post,
      path: "/polls",
      body: ["polls": .array(polls.map(\.json)), "wait": .int(wait)],
      timeout: .seconds(40),
      urgency: .poll,
      id: id
    )
    let body = try await send(call, as: credentials).succeeded()
    guard let devices = body["devices"]?.object else { throw .failed(.malformed) }
    return devices
  }

  /// Opens a device's part of the response: an encrypted batch of pushes, or an unencrypted status if the
  /// platform cannot encrypt to the device.
  func open(_ part: JSON, with credentials: DeviceCredentials) throws(PlatformError) -> PushBatch {
    let body: JSON
    do {
      body =
        try part.string.map { sealed in
          let key = credentials.keys.device
          return try JSON(
            parsing: CompactJWE.decrypt(sealed, with: key, type: Self.partType, allowing: [.a256GCM])
          )
        } ?? part
    } catch { throw .failed(.malformed) }
    switch body["status"]?.int {
    // Accept pushes only from an encrypted part.
    case nil where part.string != nil: return try Self.batch(body)
    case 401: throw .deviceUnknown
    case 410: return PushBatch(pushes: [], cursor: "", hasMore: true, isCursorUnknown: true)
    default: throw .failed(.malformed)
    }
  }
}
