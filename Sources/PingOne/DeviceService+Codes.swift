package import Authenticator
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import Time

extension DeviceService {
  /// POST /authentication-codes/{code}/claim.
  ///
  /// With `userApproval` REQUIRED the device says that it asks its owner in any case, so that the claim alone
  /// does not complete a code that needs no approval.
  package func claim(
    _ identity: Identity,
    code: String,
    waitsForOwner: Bool
  ) async throws(PlatformError) -> PlatformCode {
    let body: JSONObject = waitsForOwner ? ["userApproval": "REQUIRED"] : [:]
    let call = DeviceCall(method: .post, path: "/authentication-codes/\(code)/claim", body: body)
    let answer = try await send(call, as: identity).succeeded()
    guard let request = answer["requestId"]?.string, PlatformID.isValid(request),
      let status = answer["status"]?.string.flatMap(AuthenticationObject.Status.init(rawValue:)),
      let approval = answer["userApproval"]?.string, ["REQUIRED", "NOT_REQUIRED"].contains(approval),
      let expiry = answer["expiresAt"]?.string.flatMap({ Timestamp(text: $0) })
    else { throw .failed }
    return PlatformCode(
      requestID: request,
      status: status,
      users: answer["users"]?.array?.prefix(64).compactMap { User(platform: $0) } ?? [],
      userApproval: approval,
      clientContext: SafeText.bounded(answer["clientContext"]),
      expiresAt: expiry
    )
  }

  /// POST /authentication-codes/{requestId}/answer.
  package func answer(
    _ identity: Identity,
    code: String,
    decision: String
  ) async throws(PlatformError) -> String {
    let call = DeviceCall(
      method: .post,
      path: "/authentication-codes/\(code)/answer",
      body: ["decision": .string(decision)]
    )
    let answer = try await send(call, as: identity)
    switch answer.status {
    case 409:
      guard let status = answer.body["status"]?.string else { throw .failed }
      return status
    case 410: return "EXPIRED"
    default:
      guard let status = try answer.succeeded()["status"]?.string else { throw .failed }
      return status
    }
  }
}
