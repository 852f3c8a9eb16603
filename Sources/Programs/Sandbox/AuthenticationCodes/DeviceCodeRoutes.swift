import EventLoop
import HTTPServer
import JSON

/// The requests of a device about an authentication code: claim it, and submit the user's decision.
///
/// With `userApproval: REQUIRED`, the device announces that it asks its owner in any case. A code that needs
/// no approval is then not completed before the decision. The JWT claims of a decision are `decision`,
/// `requestId` and `userId`. A denial may omit `userId`.
@EventLoop
enum DeviceCodeRoutes {
  static let routes: [Route<DeviceEndpoint>] = [
    .device("POST", "/authentication-codes/{code}/claim", claim),
    .device("POST", "/authentication-codes/{request}/answer", answer),
  ]

  private static func claim(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let (tenant, sender) = (call.tenant, try call.sender())
    let text = call.call.parameters["code"] ?? ""
    guard var code = tenant.authenticationCodes.all(by: text).first else { throw .codeRefused }
    let pairings = tenant.pairings(on: sender.id)
    let users = pairings.compactMap { tenant.users[$0.user] }
    guard !users.isEmpty else { throw .deviceNotPaired }
    if pairings.count == 1 { try tenant.requireNoLock(of: pairings[0]) }
    let asksOwner = try call.body.text("userApproval") == "REQUIRED"
    switch tenant.status(of: code) {
    case .unclaimed:
      code.device = sender.id
      code.updatedAt = tenant.clock.now
      if users.count == 1 { code.user = users[0].id }
      code.status = users.count == 1 && code.approval == .notRequired && !asksOwner ? .completed : .claimed
      tenant.authenticationCodes.put(code)
    case .claimed, .completed:
      // Repeat the response, since the response to the first claim may have been lost.
      guard code.device == sender.id, !tenant.clock.isOver(code.deadline) else { throw .codeRefused }
    case .denied, .expired: throw .codeRefused
    }
    return SealedResponse(200, tenant.claim(code, for: users))
  }

  private static func answer(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let (tenant, sender) = (call.tenant, try call.sender())
    guard var code = tenant.authenticationCodes[call.id("request", of: IssuedCode.self)] else {
      throw .notFound
    }
    guard code.device == sender.id else { throw .deviceMismatch }
    let decision = try SignedDecision(call.body, by: sender)
    try decision.requireSubject("requestId", code.id.text)
    let wanted: IssuedCode.Status = decision.verdict == .approve ? .completed : .denied
    let user = try user(of: decision, on: sender, tenant)
    switch tenant.status(of: code) {
    case .claimed: break
    case wanted where user == nil || user == code.user: return SealedResponse(["status": wanted])
    case .expired: throw .codeExpired.with(["status": IssuedCode.Status.expired.json])
    case .completed, .denied, .unclaimed: throw .codeAnswered.with(["status": code.status.json])
    }
    if wanted == .completed {
      try tenant.requireNoLock(of: tenant.pairings(on: sender.id).first { $0.user == user })
    }
    code.user = user ?? code.user
    code.status = wanted
    code.updatedAt = tenant.clock.now
    tenant.authenticationCodes.put(code)
    return SealedResponse(["status": wanted])
  }

  /// Returns the user in the decision, which must be a user paired on the device.
  ///
  /// An approval must contain a user.
  private static func user(of decision: SignedDecision, on device: TrustedDevice, _ tenant: Tenant)
    throws(ErrorResponse)
    -> ID<PlatformUser>?
  {
    guard let text = decision.claims["userId"]?.string else {
      guard decision.verdict == .deny else {
        throw .invalid("decision", "must name the user by userId", code: "REQUIRED_VALUE")
      }
      return nil
    }
    guard tenant.pairings(on: device.id).contains(where: { $0.user.text == text }) else {
      throw .userNotPaired
    }
    return ID(text)
  }
}

extension Tenant {
  fileprivate func claim(_ code: IssuedCode, for users: [PlatformUser]) -> JSON {
    .of([
      "requestId": code.id, "status": code.status, "userApproval": code.approval,
      "needsApproval": code.status == .claimed, "users": users.map(\.summary),
      "clientContext": code.clientContext, "environment": self.environment.id.reference,
      "expiresAt": clock.instant(of: code.deadline),
    ])
  }
}
