public import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import Text
internal import Time

extension DeviceService {
  private static let longestLifetime = 30 * 60

  /// POST /authentication-codes/{code}/claim.
  ///
  /// If `waitsForOwner` is true, the request states `userApproval` REQUIRED: the device asks its owner. Then
  /// the claim alone does not complete a code, even if the code itself requires no approval.
  public func claim(
    _ credentials: DeviceCredentials,
    code: String,
    waitsForOwner: Bool
  ) async throws(PlatformError) -> PlatformCode {
    let call = DeviceCall(
      method: .post,
      path: "/authentication-codes/\(code)/claim",
      body: waitsForOwner ? ["userApproval": "REQUIRED"] : [:]
    )
    let response = try await send(call, as: credentials)
    let body = try response.succeeded()
    guard let request = body["requestId"]?.string, request.isIdentifier,
      let status = body["status"]?.string.flatMap(AuthenticationObject.Status.init(rawValue:)),
      let approval = body["userApproval"]?.string, ["REQUIRED", "NOT_REQUIRED"].contains(approval),
      let expiry = body["expiresAt"]?.string.flatMap({ Timestamp(text: $0) })
    else { throw .failed(.malformed) }
    return PlatformCode(
      requestID: request,
      status: status,
      users: body["users"]?.array?.prefix(64).compactMap { User(platform: $0) } ?? [],
      userApproval: approval,
      clientContext: body["clientContext"]?.bounded,
      // Relative to the platform's own clock, which is in the signature.
      lifetime: max(0, min(expiry.seconds - response.issuedAt, Self.longestLifetime))
    )
  }

  /// POST /authentication-codes/{requestId}/answer.
  public func answer(
    _ credentials: DeviceCredentials,
    code: String,
    decision: String,
    isInTime: @escaping @EventLoop () -> Bool
  ) async throws(PlatformError) -> AuthenticationObject.Status {
    let call = DeviceCall(
      method: .post,
      path: "/authentication-codes/\(code)/answer",
      body: ["decision": .string(decision)],
      urgency: .decision,
      isInTime: isInTime
    )
    let response = try await send(call, as: credentials)
    if response.status == 410 { return .expired }
    let body = response.status == 409 ? response.body : try response.succeeded()
    // CLAIMED means that the platform did not take the decision. After the error, it is submitted again.
    guard let status = body["status"]?.string.flatMap(AuthenticationObject.Status.init(rawValue:)),
      status != .claimed
    else { throw .failed(.malformed) }
    return status
  }
}
