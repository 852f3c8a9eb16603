public import Approvals
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
public import JSON
internal import JSONRPC

extension DeviceService {
  private static let largestBatch = 50

  /// GET /notifications, a long poll.
  public func pushes(
    _ credentials: DeviceCredentials,
    after cursor: String?,
    wait: Int
  ) async throws(PlatformError) -> PushBatch {
    var query = [("wait", String(wait))]
    if let cursor { query.insert(("after", cursor), at: 0) }
    let call = DeviceCall(
      method: .get,
      path: "/notifications",
      query: query,
      timeout: .seconds(40),
      urgency: .poll
    )
    let response = try await send(call, as: credentials)
    if response.status == 410, cursor != nil {
      return PushBatch(pushes: [], cursor: "", hasMore: true, isCursorUnknown: true)
    }
    return try Self.batch(try response.succeeded())
  }

  static func batch(_ body: JSON) throws(PlatformError) -> PushBatch {
    guard let pushes = body["notifications"]?.array, pushes.count <= largestBatch,
      let next = body["cursor"]?.string, next.utf8.count <= 256
    else { throw .failed(.malformed) }
    return PushBatch(
      pushes: pushes.compactMap(\.string),
      cursor: next,
      hasMore: body["more"]?.bool ?? false
    )
  }

  public func status(_ credentials: DeviceCredentials, push: String) async throws(PlatformError)
    -> RemoteStatus
  {
    let body = try await send(DeviceCall(method: .get, path: "/notifications/\(push)"), as: credentials)
      .succeeded()
    guard let status = body["status"]?.string.flatMap(RemoteStatus.init(rawValue:)) else {
      throw .failed(.malformed)
    }
    return status
  }

  /// POST /notifications/{id}/answer.
  public func answer(
    _ credentials: DeviceCredentials,
    push: String,
    decision: String,
    posture: JSON,
    isUnasked: Bool,
    isInTime: @escaping @EventLoop () -> Bool
  ) async throws(PlatformError) -> Outcome {
    let call = DeviceCall(
      method: .post,
      path: "/notifications/\(push)/answer",
      body: ["decision": .string(decision), "posture": posture],
      // No user waits for an automatic decision.
      urgency: isUnasked ? .ordinary : .decision,
      isInTime: isInTime
    )
    let response = try await send(call, as: credentials)
    switch response.status {
    case 409:
      guard let status = response.body["status"]?.string.flatMap(RemoteStatus.init(rawValue:)) else {
        throw .failed(.malformed)
      }
      return .settled(status)
    case 410: return .settled(.expired)
    case 422 where response.body["code"]?.string == "NUMBER_REQUIRED": throw .refused(.numberRequired)
    case 422:
      return .wrongNumber(
        triesLeft: max(0, response.body["triesLeft"]?.int ?? 0),
        lock: response.body["lock"].flatMap { AccountLock(platform: $0) }
      )
    case 403 where response.body["code"]?.string == "ACCOUNT_LOCKED":
      guard let lock = AccountLock(platform: response.body) else { throw .refused(.accountLocked) }
      return .locked(lock)
    default:
      let body = try response.succeeded()
      return .accepted(
        confirmationInfo: body["confirmationInfo"]?.bounded,
        lock: body["lock"].flatMap { AccountLock(platform: $0) }
      )
    }
  }
}
