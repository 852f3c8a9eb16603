import JSON

extension SignOnStep {
  /// Asks the user to confirm with a device.
  static let mfa = SignOnStep(name: "MFA") { flow, tenant throws(PingOneError) in
    guard !flow.methods.contains("mfa"), let user = flow.user.flatMap({ tenant.users[$0] }), user.mfaEnabled
    else { return }
    let authentication = try tenant.startAuthentication(of: user, for: flow.request)
    if flow.policy.noDeviceMode == .bypass, authentication.failure == .noUsableDevices { return }
    flow.authentication = authentication.id
    try tenant.takeOver(authentication, to: &flow)
  }
}

/// What is done with a user's devices in a flow.
enum DeviceActions {
  private static let open: Set<SignOnFlow.Status> = [
    .deviceSelectionRequired, .otpRequired, .pushConfirmationRequired, .pushConfirmationTimedOut,
  ]

  static let all = [
    FlowAction("device.select", while: open, select),
    FlowAction("otp.check", while: [.otpRequired, .pushConfirmationRequired], checkPasscode),
    FlowAction("assertion.check", while: [.assertionRequired], checkAssertion),
  ]

  private static let select: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    guard var authentication = flow.authentication.flatMap({ tenant.current($0) }) else { throw .unexpected }
    guard let id = try body.reference("device", to: MobileDevice.self) else { throw body.missing("device") }
    let device = try tenant.usableDevice(id.text, of: authentication)
    try tenant.select(device, in: &authentication)
    try tenant.takeOver(authentication, to: &flow)
  }

  private static let checkPasscode: FlowAction.Run = { flow, body, tenant throws(PingOneError) in
    guard let authentication = flow.authentication.flatMap({ tenant.current($0) }) else { throw .unexpected }
    let passcode = try body.requiredText("otp", maximum: 16)
    let checked = try tenant.checkPasscode(passcode, in: authentication)
    try tenant.takeOver(checked, to: &flow, method: "otp")
  }

  /// The sandbox has no security keys.
  private static let checkAssertion: FlowAction.Run = { _, _, _ throws(PingOneError) in
    throw .invalid("assertion", "The assertion is of no key that is known here")
  }
}

extension SignOnStep {
  /// Asks for a security key, which nobody has: a client is shown the step and can only give up.
  static let assertion = SignOnStep(name: "ASSERTION") { flow, _ in flow.status = .assertionRequired }
}

extension Tenant {
  /// Begins an attempt to have a user confirm a sign-on with a device, by what the request brought of one.
  func startAuthentication(
    of user: User,
    for request: AuthorizationRequest
  ) throws(PingOneError) -> DeviceAuthentication {
    let authentication = DeviceAuthentication(
      id: .random(),
      user: user.id,
      application: application.id,
      policy: policy.id,
      clientContext: nil,
      confirmationInfo: nil,
      title: DeviceAuthentication.standardTitle,
      body: DeviceAuthentication.standardBody(user, application),
      createdAt: clock.now,
      updatedAt: clock.now
    )
    let standIn = request.payload.flatMap { device(standingInFor: user, by: $0, application, policy) }
    return try start(authentication, of: user, standIn: standIn, wanted: nil)
  }

  /// Carries over to a flow what has become of its attempt to have a device confirm.
  func followAuthentication(_ flow: inout SignOnFlow) throws(PingOneError) {
    guard let authentication = flow.authentication.flatMap({ current($0) }) else { return }
    try takeOver(authentication, to: &flow)
  }

  /// Carries over what an attempt has come to, and leads the flow on when it is completed.
  func takeOver(
    _ authentication: DeviceAuthentication,
    to flow: inout SignOnFlow,
    method: String = "swk"
  ) throws(PingOneError) {
    switch authentication.status {
    case .completed:
      flow.methods += ["mfa", method]
      flow.authentication = nil
      try finishStep(&flow)
    case .failed:
      flow.authentication = nil
      flow.status = .failed
      flow.failure = authentication.failure
    case .otpRequired: flow.status = .otpRequired
    case .deviceSelectionRequired: flow.status = .deviceSelectionRequired
    case .pushConfirmationRequired: flow.status = .pushConfirmationRequired
    case .pushConfirmationTimedOut: flow.status = .pushConfirmationTimedOut
    }
  }

  /// The members of a flow that are about the device in it.
  func deviceMembers(of flow: SignOnFlow) -> [(String, JSON?)] {
    guard let authentication = flow.authentication.flatMap({ authentications[$0] }) else { return [] }
    return [
      ("selectedDevice", authentication.selected.map { .reference($0) }),
      ("numberMatching", numberMatching(of: authentication)),
    ]
  }

  /// The devices that a user of a flow can choose from.
  func embeddedDevices(in flow: SignOnFlow) -> JSON? {
    guard let authentication = flow.authentication.flatMap({ authentications[$0] }) else { return nil }
    return .array(usableDevices(for: authentication).map { choice($0) })
  }
}
