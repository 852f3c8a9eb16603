import EventLoop
import HTTPServer
import JSON
import WebAddress

/// Creates devices that need no app of the platform, for an administrator or a user's self-service.
@EventLoop
enum DeviceCreation {
  /// Maximum number of devices of a user that wait for activation.
  private static let maximumPending = 20
  private static let activationSeconds = 30 * 60

  static func create(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, user, body) = (call.tenant, try call.user(), try call.body())
    _ = try body.names("policy", tenant.policy.id, "a policy")
    guard let kind = try body.choice("type", of: MFADevice.Kind.self) else { throw body.missing("type") }
    guard kind == .totp else { throw .notAllowed("type", [MFADevice.Kind.totp.rawValue]) }
    guard tenant.policy.hasTOTP else { throw body.invalid("type", "is off in the policy") }
    guard !tenant.policy.pairsNoTOTP else { throw body.invalid("type", "cannot be paired under the policy") }
    guard let secret = try? PasscodeSecret.random(period: 30) else { throw .unexpected }
    var device = MFADevice(
      kind: kind,
      user: user.id,
      secret: secret,
      activation: tenant.clock.deadline(in: activationSeconds),
      createdAt: tenant.clock.now,
      updatedAt: tenant.clock.now
    )
    try tenant.requireRoom(for: device)
    let pending = tenant.devices.all(by: user.id.text).filter { $0.status == .activationRequired }
    guard pending.count < maximumPending else { throw .full("devices that are not activated") }
    device.nickname = try body.text("nickname", maximum: 100)
    guard try body.choice("status", of: MFADevice.Status.self) != .active else {
      throw body.invalid("status", "must be ACTIVATION_REQUIRED")
    }
    tenant.devices.put(device)
    // Only this response contains the secret.
    let uri = keyURI(secret, of: user, tenant.policy)
    return .json(201, device.json(in: tenant).adding(.of(["secret": secret.base32, "keyUri": uri])))
  }

  private static func keyURI(_ secret: PasscodeSecret, of user: PlatformUser, _ policy: Policy) -> String {
    let more = policy.uriParameters.object?.members ?? []
    let parameters = [("secret", secret.base32)] + more.map { ($0.name, $0.value.string ?? "") }
    return "otpauth://totp/\(FormEncoding.encode(user.username))?\(FormEncoding.encode(parameters))"
  }

  /// Activates a device with its first passcode, which cannot be used again, as after a sign-on.
  static func activate(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, device) = (call.tenant, try call.device())
    let passcode = try call.actionBody().requiredText("otp", maximum: 16)
    guard device.mobile == nil, device.status == .activationRequired else {
      throw .invalidRequest("The device cannot be activated.")
    }
    guard !tenant.clock.isOver(device.activation) else {
      throw .invalid("otp", "The time to activate the device has expired", code: "EXPIRED_CODE")
    }
    try tenant.requireRoom(for: device)
    try tenant.checkPasscode(passcode, of: device)
    tenant.activate(try call.device())
    return call.shown(try call.device())
  }
}

extension Tenant {
  /// Throws if the user has the maximum number of devices, or would get a second TOTP device.
  fileprivate func requireRoom(for device: MFADevice) throws(ErrorResponse) {
    let active = activeDevices(of: device.user)
    guard device.kind != .totp || !active.contains(where: { $0.kind == .totp }) else {
      throw .totpExists
    }
    guard active.count < mfaSettings.maximumDevices else {
      throw .deviceLimit(mfaSettings.maximumDevices)
    }
  }
}

extension ErrorResponse {
  fileprivate static let totpExists =
    ErrorResponse(409, "UNIQUENESS_VIOLATION", "The user already has an authenticator app.")
    .withDetail("UNIQUENESS_VIOLATION", "type", "must be the only one of the user")

  fileprivate static func deviceLimit(_ maximum: Int) -> ErrorResponse {
    ErrorResponse(429, "REQUEST_LIMITED", "The user has the maximum number of devices.")
      .withDetail("LIMIT_EXCEEDED", "devices", "must be at most \(maximum)", ["maximumValue": .int(maximum)])
  }
}
