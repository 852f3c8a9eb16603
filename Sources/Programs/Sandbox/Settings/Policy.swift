import JSON

/// The device authentication policy, with the documented defaults.
///
/// PingOne's settings for one application are in `mobile`.
struct Policy: Codable, Sendable {
  enum DeviceSelection: String, CaseIterable, Codable, Shown {
    case defaultToFirst = "DEFAULT_TO_FIRST"
    case promptToSelect = "PROMPT_TO_SELECT"
    case alwaysDisplayDevices = "ALWAYS_DISPLAY_DEVICES"
  }

  /// Number of consecutive wrong passcodes that lock a device for passcodes, and duration of the lock.
  struct PasscodeLimit: Codable, Sendable {
    fileprivate(set) var count = 3
    fileprivate(set) var coolDown = TimeSpan(2, .minutes)
  }

  struct PushLimit: Codable, Sendable {
    fileprivate(set) var count = 5
    /// Time within which missed pushes must occur to cause a lock.
    fileprivate(set) var period = TimeSpan(10, .minutes)
    fileprivate(set) var lockDuration = TimeSpan(30, .minutes)
  }

  private(set) var id = ID<Policy>.random()
  private(set) var name = "Sandbox policy"
  private(set) var deviceSelection = DeviceSelection.defaultToFirst
  /// True if users can authenticate despite a lock for too many failures.
  private(set) var ignoresUserLock = false
  private(set) var hasMobile = true
  private(set) var promptsForNickname = false
  private var passcodeLimit = PasscodeLimit()
  private(set) var isPushEnabled = true
  /// True if a push requires the number that the sign-on page shows.
  private(set) var numberMatching = false
  private(set) var pushTimeout = TimeSpan(40, .seconds)
  private(set) var pairingKeyLifetime = TimeSpan(10, .minutes)
  private(set) var pushLimit = PushLimit()
  private(set) var isPasscodeEnabled = true
  /// True if a sign-on from a paired device needs no other confirmation.
  private(set) var deviceAuthorization = false
  /// Verdict if the device does not answer the silent push that checks it; `nil` sends no push.
  private(set) var extraVerification: IntegrityVerdict.Strictness?
  private(set) var autoEnrollment = true
  private(set) var pairingDisabled = false
  /// Verdict on a device with unknown integrity.
  private(set) var integrityDetection: IntegrityVerdict.Strictness?
  /// Off by default, as at PingOne.
  var hasTOTP = false
  private(set) var pairsNoTOTP = false
  private var totpLimit = PasscodeLimit()
  /// Maximum clock error of an authenticator, in windows of 30 seconds, either side.
  private(set) var totpGraceWindows = 5
  /// Parameters of an authenticator's `keyUri`, besides the secret.
  private(set) var uriParameters: JSON = [:]

  static let fields: [ResourceField<Policy>] = [
    ResourceField("name", \.name, .name),
    ResourceField("authentication.deviceSelection", \.deviceSelection, .choice),
    ResourceField("ignoreUserLock", \.ignoresUserLock, .flag),
    ResourceField("mobile.enabled", \.hasMobile, .flag),
    ResourceField("mobile.promptForNicknameOnPairing", \.promptsForNickname, .flag),
    ResourceField("mobile.otp.enabled", \.isPasscodeEnabled, .flag),
    ResourceField("mobile.otp.failure.count", \.passcodeLimit.count, .int(1...7)),
    ResourceField(
      "mobile.otp.failure.coolDown",
      \.passcodeLimit.coolDown,
      .span(2...1800, .seconds, .minutes)
    ),
    ResourceField("mobile.push.enabled", \.isPushEnabled, .flag),
    ResourceField("mobile.push.numberMatching.enabled", \.numberMatching, .flag),
    ResourceField("mobile.pushTimeout", \.pushTimeout, .span(40...150, .seconds)),
    ResourceField("mobile.pushLimit.count", \.pushLimit.count, .int(1...50)),
    ResourceField("mobile.pushLimit.timePeriod", \.pushLimit.period, .span(60...7200, .seconds, .minutes)),
    ResourceField(
      "mobile.pushLimit.lockDuration",
      \.pushLimit.lockDuration,
      .span(60...7200, .seconds, .minutes)
    ),
    ResourceField("mobile.pairingKeyLifetime", \.pairingKeyLifetime, .span(60...172_800, .minutes, .hours)),
    ResourceField("mobile.autoEnrollment.enabled", \.autoEnrollment, .flag),
    ResourceField("mobile.deviceAuthorization.enabled", \.deviceAuthorization, .flag),
    ResourceField("mobile.deviceAuthorization.extraVerification", \.extraVerification, .choice),
    ResourceField("mobile.pairingDisabled", \.pairingDisabled, .flag),
    ResourceField("mobile.integrityDetection", \.integrityDetection, .choice),
    ResourceField("totp.enabled", \.hasTOTP, .flag),
    ResourceField("totp.pairingDisabled", \.pairsNoTOTP, .flag),
    ResourceField("totp.otp.failure.count", \.totpLimit.count, .int(1...7)),
    ResourceField("totp.otp.failure.coolDown", \.totpLimit.coolDown, .span(2...1800, .seconds, .minutes)),
    ResourceField("totp.passcodeGracePeriod", \.totpGraceWindows, .int(1...10)),
    ResourceField("totp.uriParameters", \.uriParameters, .uriParameters),
  ]

  func takesPasscodes(of device: MFADevice) -> Bool {
    device.mobile == nil ? hasTOTP : hasMobile && isPasscodeEnabled
  }

  func passcodeLimit(of device: MFADevice) -> PasscodeLimit {
    device.mobile == nil ? totpLimit : passcodeLimit
  }
}

extension Form where Value == JSON {
  fileprivate static var uriParameters: Form {
    Form(.json) { body, name throws(ErrorResponse) in
      guard let members = try body.members(name, maximum: 1024) else { return nil }
      for name in members.object.names { _ = try members.requiredText(name, maximum: 256) }
      return .object(members.object)
    }
  }
}
