import JSON

/// The device authentication policy, with the documented defaults; PingOne's rules for one application stand in
/// `mobile`.
struct Policy: Codable, Sendable {
  enum DeviceSelection: String, CaseIterable, Codable, Shown {
    case defaultToFirst = "DEFAULT_TO_FIRST"
    case promptToSelect = "PROMPT_TO_SELECT"
    case alwaysDisplayDevices = "ALWAYS_DISPLAY_DEVICES"
  }

  /// How many wrong passcodes in a row close a device for passcodes, and for how long.
  struct PasscodeLimit: Codable, Sendable {
    fileprivate(set) var count = 3
    fileprivate(set) var coolDown = TimeSpan(2, .minutes)
  }

  struct PushLimit: Codable, Sendable {
    fileprivate(set) var count = 5
    /// How close together they have to be.
    fileprivate(set) var period = TimeSpan(10, .minutes)
    fileprivate(set) var lockDuration = TimeSpan(30, .minutes)
  }

  private(set) var id = ID<Policy>.random()
  private(set) var name = "Sandbox policy"
  private(set) var deviceSelection = DeviceSelection.defaultToFirst
  /// Whether users can authenticate who are locked for too many failures.
  private(set) var ignoresUserLock = false
  private(set) var hasMobile = true
  private(set) var promptsForNickname = false
  private var passcodeLimit = PasscodeLimit()
  private(set) var isPushEnabled = true
  /// Whether a push shows a number on the sign-on page that must be matched on the device.
  private(set) var numberMatching = false
  private(set) var pushTimeout = TimeSpan(40, .seconds)
  private(set) var pairingKeyLifetime = TimeSpan(10, .minutes)
  private(set) var pushLimit = PushLimit()
  private(set) var isPasscodeEnabled = true
  /// Whether a sign-on from a paired device needs no other confirmation.
  private(set) var deviceAuthorization = false
  /// Whether the device is asked by a silent push then, and what it means when it says nothing; `nil` asks nothing.
  private(set) var extraVerification: IntegrityVerdict.Strictness?
  private(set) var autoEnrollment = true
  private(set) var pairingDisabled = false
  /// What is thought of a device about whose integrity nothing is known.
  private(set) var integrityDetection: IntegrityVerdict.Strictness?
  /// Off until an administrator wants it, as at PingOne.
  var hasTOTP = false
  private(set) var pairsNoTOTP = false
  private var totpLimit = PasscodeLimit()
  /// How many windows of 30 seconds either side an authenticator's clock may be off.
  private(set) var totpGraceWindows = 5
  /// The parameters of an authenticator's `keyUri` besides the secret.
  private(set) var uriParameters: JSON = [:]

  static let fields: [Field<Policy>] = [
    Field("name", \.name, .name), Field("authentication.deviceSelection", \.deviceSelection, .choice),
    Field("ignoreUserLock", \.ignoresUserLock, .flag), Field("mobile.enabled", \.hasMobile, .flag),
    Field("mobile.promptForNicknameOnPairing", \.promptsForNickname, .flag),
    Field("mobile.otp.enabled", \.isPasscodeEnabled, .flag),
    Field("mobile.otp.failure.count", \.passcodeLimit.count, .int(1...7)),
    Field("mobile.otp.failure.coolDown", \.passcodeLimit.coolDown, .span(2...1800, .seconds, .minutes)),
    Field("mobile.push.enabled", \.isPushEnabled, .flag),
    Field("mobile.push.numberMatching.enabled", \.numberMatching, .flag),
    Field("mobile.pushTimeout", \.pushTimeout, .span(40...150, .seconds)),
    Field("mobile.pushLimit.count", \.pushLimit.count, .int(1...50)),
    Field("mobile.pushLimit.timePeriod", \.pushLimit.period, .span(60...7200, .seconds, .minutes)),
    Field("mobile.pushLimit.lockDuration", \.pushLimit.lockDuration, .span(60...7200, .seconds, .minutes)),
    Field("mobile.pairingKeyLifetime", \.pairingKeyLifetime, .span(60...172_800, .minutes, .hours)),
    Field("mobile.autoEnrollment.enabled", \.autoEnrollment, .flag),
    Field("mobile.deviceAuthorization.enabled", \.deviceAuthorization, .flag),
    Field("mobile.deviceAuthorization.extraVerification", \.extraVerification, .choice),
    Field("mobile.pairingDisabled", \.pairingDisabled, .flag),
    Field("mobile.integrityDetection", \.integrityDetection, .choice),
    Field("totp.enabled", \.hasTOTP, .flag), Field("totp.pairingDisabled", \.pairsNoTOTP, .flag),
    Field("totp.otp.failure.count", \.totpLimit.count, .int(1...7)),
    Field("totp.otp.failure.coolDown", \.totpLimit.coolDown, .span(2...1800, .seconds, .minutes)),
    Field("totp.passcodeGracePeriod", \.totpGraceWindows, .int(1...10)),
    Field("totp.uriParameters", \.uriParameters, .uriParameters),
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
    Form(.json) { body, name throws(Refusal) in
      guard let members = try body.members(name, maximum: 1024) else { return nil }
      for name in members.object.names { _ = try members.requiredText(name, maximum: 256) }
      return .object(members.object)
    }
  }
}
