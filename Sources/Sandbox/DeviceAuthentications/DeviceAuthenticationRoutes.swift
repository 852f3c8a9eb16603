import EventLoop
import HTTPServer
import JSON

/// `/{environment}/deviceAuthentications`, where the action is chosen by media type.
enum DeviceAuthenticationRoutes {
  private static let one = "/{environment}/deviceAuthentications/{deviceAuthentication}"

  static let routes: [Route<Endpoint>] = [
    .administrator("POST", "/{environment}/deviceAuthentications", start),
    .administrator("GET", one, read),
    .administrator("POST", one, mediaType: "application/vnd.pingidentity.device.select+json", selectDevice),
    .administrator("POST", one, mediaType: "application/vnd.pingidentity.otp.check+json", checkPasscode),
    .administrator(
      "POST",
      one,
      mediaType: "application/vnd.pingidentity.cancel.push.authentication+json",
      cancelPush
    ),
  ]

  private static let maximumTitle = 200
  private static let maximumBody = 400

  @EventLoop
  private static func start(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let body = try call.body()
    guard let userID = try body.reference("user", to: User.self) else {
      throw .invalid("user", "must be given", code: "REQUIRED_VALUE")
    }
    guard let user = tenant.users[userID] else { throw .invalid("user.id", "is not a user") }
    guard user.mfaEnabled else { throw .invalidRequest("Multi-factor authentication is off for the user.") }
    let application = try body.application(of: tenant)
    let policy = try body.policy(of: tenant) ?? tenant.policy
    let notification = try body.members("notification")
    let variables = try notification?.members("template")?.members("variables")
    var authentication = DeviceAuthentication(
      id: .random(),
      user: user.id,
      application: application?.id,
      policy: policy.id,
      clientContext: try notification?.context("clientContext"),
      confirmationInfo: try notification?.context("confirmationInfo"),
      title: try variables?.text("title", maximum: maximumTitle) ?? "Sign-on request",
      body: try variables?.text("body", maximum: maximumBody)
        ?? "Do you approve the sign-on of \(user.username) to \(tenant.application.name)?",
      createdAt: tenant.clock.now,
      updatedAt: tenant.clock.now
    )
    let devices = tenant.activeDevices(of: user.id)
    if let wanted = try body.reference("selectedDevice", to: MobileDevice.self) {
      guard let device = devices.first(where: { $0.id == wanted }) else {
        throw .invalid("selectedDevice.id", "is not an active device of the user")
      }
      try tenant.select(device, in: &authentication)
    } else if let device = devices.first {
      try tenant.select(device, in: &authentication)
    } else {
      let failure = Failure(
        code: "NO_USABLE_DEVICES",
        message: "The user has no device that can be used."
      )
      authentication = tenant.finish(authentication, .failed, failure: failure)
    }
    return .json(201, tenant.json(of: authentication))
  }

  @EventLoop
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try authentication(of: call)))
  }

  @EventLoop
  private static func selectDevice(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var authentication = try openAuthentication(of: call)
    guard let id = try call.actionBody().reference("device", to: MobileDevice.self) else {
      throw .invalid("device", "must be given", code: "REQUIRED_VALUE")
    }
    let devices = call.tenant.activeDevices(of: authentication.user)
    guard let device = devices.first(where: { $0.id == id }) else {
      throw .invalid("device.id", "is not an active device of the user")
    }
    try call.tenant.select(device, in: &authentication)
    return .json(200, call.tenant.json(of: authentication))
  }

  @EventLoop
  private static func checkPasscode(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let authentication = try openAuthentication(of: call)
    let passcode = try call.actionBody().requiredText("otp", maximum: 16)
    guard let device = authentication.selected.flatMap({ tenant.devices[$0] }) else {
      throw .invalidRequest("A device has to be selected first.")
    }
    try tenant.checkPasscode(passcode, of: device)
    if let push = authentication.notification { tenant.withdraw(push, by: .passcode) }
    return .json(200, tenant.json(of: tenant.finish(authentication, .completed)))
  }

  @EventLoop
  private static func cancelPush(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var authentication = try openAuthentication(of: call)
    guard try call.actionBody().requiredText("reason") == "CHANGE_DEVICE" else {
      throw .invalid("reason", "must be CHANGE_DEVICE")
    }
    guard authentication.status == .pushConfirmationRequired, let push = authentication.notification else {
      throw .invalidRequest("There is no push to cancel.")
    }
    call.tenant.withdraw(push, by: .relyingParty)
    authentication.notification = nil
    authentication.selected = nil
    let cancelled = call.tenant.finish(authentication, .deviceSelectionRequired)
    return .json(200, call.tenant.json(of: cancelled))
  }

  @EventLoop
  private static func authentication(of call: Call) throws(PingOneError) -> DeviceAuthentication {
    let id = call.id("deviceAuthentication", of: DeviceAuthentication.self)
    guard let authentication = call.tenant.current(id) else { throw .notFound }
    return authentication
  }

  /// The attempt in the path, if an action can still change it.
  @EventLoop
  private static func openAuthentication(of call: Call) throws(PingOneError) -> DeviceAuthentication {
    let authentication = try authentication(of: call)
    guard !authentication.isOver else { throw .invalidRequest("The device authentication is over.") }
    return authentication
  }
}
