import JSON

/// How many wrong passcodes in a row close a device for passcodes, and for how long.
struct PasscodeLimit: Codable, Sendable {
  var count = 3
  var coolDown = TimeSpan(2, .minutes)
}

/// What a policy says of a method that needs no app of the platform's.
struct MethodRules: Codable, Sendable {
  var isEnabled: Bool
  var pairingDisabled = false
  private var promptsForNickname = false
  var limit = PasscodeLimit()
  /// How long a code is good that is sent, and how many digits it has.
  var codeLifetime = TimeSpan(30, .minutes)
  var codeLength = 6
  /// How many windows of 30 seconds either side an authenticator's clock may be off.
  var graceWindows = 5
  /// What the `keyUri` says besides the secret, by name.
  var uriParameters: JSON = [:]

  init(isEnabled: Bool) { self.isEnabled = isEnabled }

  private static let common: [Field<MethodRules>] = [
    Field("enabled", \.isEnabled, .flag), Field("pairingDisabled", \.pairingDisabled, .flag),
    Field("promptForNicknameOnPairing", \.promptsForNickname, .flag),
    Field("otp.failure.count", \.limit.count, .int(1...7)),
  ]

  /// The members of a method that sends codes.
  static let sending =
    common + [
      Field("otp.failure.coolDown", \.limit.coolDown, .span(0...1800, .seconds, .minutes)),
      Field("otp.lifeTime", \.codeLifetime, .span(60...1800, .seconds, .minutes)),
      Field("otp.otpLength", \.codeLength, .int(6...10)),
    ]
  static let totp =
    common + [
      Field("otp.failure.coolDown", \.limit.coolDown, .span(2...1800, .seconds, .minutes)),
      Field("passcodeGracePeriod", \.graceWindows, .int(1...10)),
      Field("uriParameters", \.uriParameters, .uriParameters),
    ]
}

extension Form where Value == JSON {
  fileprivate static var uriParameters: Form {
    Form { body, name throws(Refusal) in
      guard let members = try body.members(name, maximum: 1024) else { return nil }
      for name in members.object.names { _ = try members.requiredText(name, maximum: 256) }
      return .object(members.object)
    }
  }
}
