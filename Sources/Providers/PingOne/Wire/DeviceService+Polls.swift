internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL

/// What one device of several asks for in a poll for all of them.
struct Poll: Sendable {
  let device: String
  let cursor: String?
  /// A JWS by its key over the id of the proof by which all are asked for.
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
  /// The most devices that one poll asks for.
  static let mostPolled = 500

  /// The `typ` of what one device is told.
  private static let partType = "poll-part+jwe"

  /// POST /polls, a long poll for several devices, proven by one of them.
  ///
  /// Returns a part for each device that there is something to tell, by its id.
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

  /// What a device is told in its part: sealed for it, or a status where nothing can be.
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
    // What is not sealed is no push either.
    case nil where part.string != nil: return try Self.batch(body)
    case 401: throw .deviceUnknown
    case 410: return PushBatch(pushes: [], cursor: "", hasMore: true, isCursorUnknown: true)
    default: throw .failed(.malformed)
    }
  }
}
