struct ApplicationRules: Codable, Sendable {
  var isPushEnabled = true
  /// Whether a push shows a number on the sign-on page that must be matched on the device.
  var numberMatching = false
  var pushTimeout = TimeSpan(40, .seconds)
  var pairingKeyLifetime = TimeSpan(10, .minutes)
  var pushLimit = PushLimit()
  var isPasscodeEnabled = true
  /// Whether a sign-on from a paired device needs no other confirmation.
  var deviceAuthorization = false
  /// Whether the device is asked by a silent push then, and what it means when it says nothing; `nil` asks nothing.
  var extraVerification: IntegrityVerdict.Strictness?
  var autoEnrollment = true
  var pairingDisabled = false
  /// What is thought of a device about whose integrity nothing is known.
  var integrityDetection: IntegrityVerdict.Strictness?

  static let fields: [Field<ApplicationRules>] = [
    Field("push.enabled", \.isPushEnabled, .flag),
    Field("push.numberMatching.enabled", \.numberMatching, .flag),
    Field("otp.enabled", \.isPasscodeEnabled, .flag),
    Field("pushTimeout", \.pushTimeout, .span(40...150, .seconds)),
    Field("pairingKeyLifetime", \.pairingKeyLifetime, .span(60...172_800, .minutes, .hours)),
    Field("pushLimit.count", \.pushLimit.count, .int(1...50)),
    Field("pushLimit.timePeriod", \.pushLimit.period, .span(60...7200, .seconds, .minutes)),
    Field("pushLimit.lockDuration", \.pushLimit.lockDuration, .span(60...7200, .seconds, .minutes)),
    Field("autoEnrollment.enabled", \.autoEnrollment, .flag),
    Field("deviceAuthorization.enabled", \.deviceAuthorization, .flag),
    Field("deviceAuthorization.extraVerification", \.extraVerification, .choice),
    Field("pairingDisabled", \.pairingDisabled, .flag),
    Field("integrityDetection", \.integrityDetection, .choice),
  ]
}

struct PushLimit: Codable, Sendable {
  var count = 5
  /// How close together they have to be.
  var period = TimeSpan(10, .minutes)
  var lockDuration = TimeSpan(30, .minutes)
}
