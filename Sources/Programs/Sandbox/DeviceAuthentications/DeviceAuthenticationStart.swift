import EventLoop
import HTTPServer

@EventLoop
enum DeviceAuthenticationStart {
  static let routes: [Route<Endpoint>] = [
    .administrator("POST", "/{environment}/deviceAuthentications", start)
  ]

  private static func start(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    guard let userID = try body.reference("user", to: User.self) else { throw body.missing("user") }
    guard let user = tenant.users[userID] else { throw body.invalid("user.id", "is not a user") }
    guard user.mfaEnabled else { throw .invalidRequest("Multi-factor authentication is off for the user.") }
    let application = tenant.application
    let namesApplication = try body.names("application", application.id, "an application")
    _ = try body.names("policy", tenant.policy.id, "a policy")
    let notification = try body.members("notification")
    let variables = try notification?.members("template")?.members("variables")
    var authentication = DeviceAuthentication(of: user, application, at: tenant.clock.now)
    if !namesApplication { authentication.application = nil }
    authentication.clientContext = try notification?.context("clientContext")
    authentication.confirmationInfo = try notification?.context("confirmationInfo")
    authentication.asksForNumber = try notification?.bool("numberMatching")
    authentication.title = try variables?.text("title", maximum: 200) ?? authentication.title
    authentication.body = try variables?.text("body", maximum: 400) ?? authentication.body
    var (wanted, standIn): (MFADevice?, MFADevice?)
    if let selected = try body.members("selectedDevice") {
      wanted = try tenant.usableDevice(try selected.requiredText("id", maximum: 64), of: authentication)
    }
    // The payload comes last, because it is used up by this request.
    if let text = try body.text("mobilePayload", maximum: Tenant.maximumPayload) {
      guard namesApplication else { throw body.missing("application") }
      let payload = try tenant.acceptPayload(text, clientID: application.clientID, codeChallenge: nil)
      standIn = tenant.device(standingInFor: user, by: payload)
    }
    return call.shown(try tenant.start(authentication, of: user, standIn: standIn, wanted: wanted), 201)
  }
}

extension Tenant {
  func device(standingInFor user: User, by payload: MobilePayload) -> MFADevice? {
    guard policy.hasMobile, policy.deviceAuthorization else { return nil }
    return activeDevices(of: user.id).first { $0.mobile?.device == payload.device && $0.blockedAt == nil }
  }

  /// Begins an attempt: with the device that stands in for the user, with the one that is wanted, or with any.
  func start(
    _ authentication: DeviceAuthentication,
    of user: User,
    standIn: MFADevice?,
    wanted: MFADevice?
  ) throws(Refusal) -> DeviceAuthentication {
    var authentication = authentication
    if lockout(of: user) != nil {
      return finish(authentication, .failed, Failure("ACCOUNT_LOCKED", "The user has failed too often."))
    }
    if let standIn {
      try authorize(standIn, in: &authentication)
    } else if let wanted {
      try select(wanted, in: &authentication)
    } else {
      try selectDevice(in: &authentication)
    }
    return authentication
  }
}
