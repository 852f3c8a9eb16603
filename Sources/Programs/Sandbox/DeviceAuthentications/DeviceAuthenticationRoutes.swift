import EventLoop
import HTTPServer

@EventLoop
enum DeviceAuthenticationRoutes {
  private static let one = "/{environment}/deviceAuthentications/{deviceAuthentication}"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", one, read), .action("device.select", one, selectDevice),
    .action("otp.check", one, checkPasscode), .action("cancel.push.authentication", one, cancelPush),
  ]

  private static func read(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.shown(try authentication(of: call))
  }

  private static func selectDevice(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var authentication = try openAuthentication(of: call)
    let body = try call.actionBody()
    guard let id = try body.reference("device", to: MFADevice.self) else { throw body.missing("device") }
    let device = try call.tenant.usableDevice(id.text, of: authentication)
    try call.tenant.select(device, in: &authentication)
    return call.shown(authentication)
  }

  private static func checkPasscode(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let authentication = try openAuthentication(of: call)
    let passcode = try call.actionBody().requiredText("otp", maximum: 16)
    return call.shown(try call.tenant.checkPasscode(passcode, in: authentication))
  }

  private static func cancelPush(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let authentication = try openAuthentication(of: call)
    guard try call.actionBody().requiredText("reason") == "CHANGE_DEVICE" else {
      throw .invalid("reason", "must be CHANGE_DEVICE")
    }
    guard authentication.status == .pushConfirmationRequired, let push = authentication.notification else {
      throw .invalidRequest("There is no push to cancel.")
    }
    call.tenant.withdraw(push, by: .relyingParty)
    return call.shown(call.tenant.deselect(authentication))
  }

  private static func authentication(of call: Call) throws(ErrorResponse) -> DeviceAuthentication {
    let id = call.id("deviceAuthentication", of: DeviceAuthentication.self)
    guard let authentication = call.tenant.current(id) else { throw .notFound }
    return authentication
  }

  private static func openAuthentication(of call: Call) throws(ErrorResponse) -> DeviceAuthentication {
    let authentication = try authentication(of: call)
    guard !authentication.isOver else { throw .invalidRequest("The device authentication has ended.") }
    return authentication
  }
}

@EventLoop
enum DeviceAuthenticationStart {
  static let routes: [Route<Endpoint>] = [
    .administrator("POST", "/{environment}/deviceAuthentications", start)
  ]

  private static func start(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    guard let userID = try body.reference("user", to: PlatformUser.self) else { throw body.missing("user") }
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
    // Check the payload last, since the check uses it up.
    if let text = try body.text("mobilePayload", maximum: Tenant.maximumPayload) {
      guard namesApplication else { throw body.missing("application") }
      let payload = try tenant.acceptPayload(text, clientID: application.clientID, codeChallenge: nil)
      standIn = tenant.device(standingInFor: user, by: payload)
    }
    return call.shown(try tenant.start(authentication, of: user, standIn: standIn, wanted: wanted), 201)
  }
}

extension Tenant {
  func device(standingInFor user: PlatformUser, by payload: MobilePayload) -> MFADevice? {
    guard policy.hasMobile, policy.deviceAuthorization else { return nil }
    return activeDevices(of: user.id).first { $0.mobile?.device == payload.device && $0.blockedAt == nil }
  }

  /// Starts an attempt with one device.
  ///
  /// `standIn` authenticates its user and takes precedence, then `wanted`. Without both, the policy or the
  /// user selects the device.
  func start(
    _ authentication: DeviceAuthentication,
    of user: PlatformUser,
    standIn: MFADevice?,
    wanted: MFADevice?
  ) throws(ErrorResponse) -> DeviceAuthentication {
    var authentication = authentication
    if lockout(of: user) != nil {
      return finish(
        authentication,
        .failed,
        FailureReason("ACCOUNT_LOCKED", "The user has failed too often.")
      )
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
