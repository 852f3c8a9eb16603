import EventLoop
import HTTPServer
import JSON
import WebAddress

/// Devices that need no app of the platform's: an administrator makes them, or their user by self-service.
@EventLoop
enum DeviceCreation {
  /// How many devices of a user may wait to be activated.
  private static let maximumPending = 20

  static func create(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, user, body) = (call.tenant, try call.user(), try call.body())
    let policy = try body.reference("policy", in: tenant.policies, "a policy") ?? tenant.policy
    let kinds = MFADevice.Kind.allCases.filter { $0 != .mobile }
    var device = try tenant.newDevice(by: body, of: kinds, for: user, under: policy)
    guard !policy.rules(of: device.kind).pairingDisabled else {
      throw body.invalid("type", "cannot be paired under the policy")
    }
    try tenant.requireRoom(for: device)
    let pending = tenant.devices.all(by: user.id.text).filter { $0.status == .activationRequired }
    guard pending.count < maximumPending else { throw .full("devices that wait for their activation") }
    device.nickname = try body.text("nickname", maximum: 100)
    let wanted = try body.choice("status", of: MFADevice.Status.self)
    if let recipient = device.recipient, wanted == .activationRequired || !call.isAdministrator {
      device.sentCode =
        tenant.sendCode(.activation, to: recipient, of: user.id, by: device.kind, under: policy)
    } else if device.recipient != nil {
      device.status = .active
    } else if wanted == .active {
      throw body.invalid("status", "must be ACTIVATION_REQUIRED")
    }
    tenant.devices.put(device)
    if device.status == .active { tenant.activate(device) }
    guard let secret = device.secret else { return call.shown(device, 201) }
    // The secret is told this once.
    let oath: JSON = .of(["secret": secret.base32, "keyUri": keyURI(secret, of: user, policy)])
    return .json(201, device.json(in: tenant).adding(oath))
  }

  private static func keyURI(_ secret: PasscodeSecret, of user: User, _ policy: Policy) -> String {
    let more = policy.rules(of: .totp).uriParameters.object?.members ?? []
    let parameters = [("secret", secret.base32)] + more.map { ($0.name, $0.value.string ?? "") }
    return "otpauth://totp/\(FormEncoding.encode(user.username))?\(FormEncoding.encode(parameters))"
  }

  /// The first passcode is used up by it, as by a sign-on.
  static func activate(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, device) = (call.tenant, try call.device())
    let passcode = try call.actionBody().requiredText("otp", maximum: 16)
    guard device.mobile == nil, device.status == .activationRequired else {
      throw .invalidRequest("The device does not wait to be activated.")
    }
    guard !tenant.clock.isOver(device.activation) else {
      throw .invalid("otp", "The time to activate the device is over", code: "EXPIRED_CODE")
    }
    try tenant.requireRoom(for: device)
    if device.secret != nil {
      try tenant.checkPasscode(passcode, of: device)
    } else {
      var code = device.sentCode
      do throws(Refusal) { try tenant.check(passcode, against: &code, "otp", "INVALID_OTP") } catch {
        tenant.devices[device.id]?.sentCode = code
        throw error
      }
    }
    tenant.activate(try call.device())
    return call.shown(try call.device())
  }
}

extension Tenant {
  private static let activationSeconds = 30 * 60

  /// A device as a request describes it, of one of these kinds, which is not kept yet.
  func newDevice(by body: Members, of kinds: [MFADevice.Kind], for user: User, under policy: Policy)
    throws(Refusal) -> MFADevice
  {
    guard let kind = try body.choice("type", of: MFADevice.Kind.self) else { throw body.missing("type") }
    guard kinds.contains(kind) else { throw .notAllowed(body.target("type"), kinds.map(\.rawValue)) }
    guard policy.rules(of: kind).isEnabled else { throw body.invalid("type", "is off in the policy") }
    var device = MFADevice(
      kind: kind,
      user: user.id,
      policy: policy.id,
      activation: clock.deadline(in: Self.activationSeconds),
      createdAt: clock.now,
      updatedAt: clock.now
    )
    if kind == .totp {
      guard let secret = try? PasscodeSecret.random(period: 30) else { throw .unexpected }
      device.secret = secret
    } else {
      device.recipient = try body.requiredText(kind == .email ? "email" : "phone", maximum: 256)
    }
    return device
  }

  /// Refuses one more device of a user who has as many as are allowed, or one of those of which there is one.
  fileprivate func requireRoom(for device: MFADevice) throws(Refusal) {
    let active = activeDevices(of: device.user)
    guard device.kind != .totp || !active.contains(where: { $0.kind == .totp }) else {
      throw .totpExists
    }
    guard active.count < self.mfaSettings.maximumDevices else {
      throw .deviceLimit(self.mfaSettings.maximumDevices)
    }
  }
}

extension Refusal {
  fileprivate static let totpExists =
    Refusal(409, "UNIQUENESS_VIOLATION", "The user has an authenticator app already.")
    .because("UNIQUENESS_VIOLATION", "type", "must be the only one of the user")

  fileprivate static func deviceLimit(_ maximum: Int) -> Refusal {
    Refusal(429, "REQUEST_LIMITED", "The user has as many devices as are allowed.")
      .because("LIMIT_EXCEEDED", "devices", "must be at most \(maximum)", ["maximumValue": .int(maximum)])
  }
}
