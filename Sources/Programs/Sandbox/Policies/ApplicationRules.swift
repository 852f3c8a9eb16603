import JSON

/// What a policy says for one application.
struct ApplicationRules: Codable, Sendable {
  var isPushEnabled = true
  /// Whether a push shows a number on the sign-on page that must be matched on the device.
  var numberMatching = false
  /// How long a push can be answered.
  var pushTimeout = TimeSpan(40, .seconds)
  /// How long a pairing key can be used.
  var pairingKeyLifetime = TimeSpan(10, .minutes)
  var pushLimit = PushLimit()
  var isPasscodeEnabled = true
  /// Whether a sign-on from a paired device needs no other confirmation.
  var deviceAuthorization = false
  /// Whether the device is asked by a silent push then, and what it means when it says nothing; `nil` asks nothing.
  var extraVerification: IntegrityVerdict.Strictness?
  /// Whether a sign-on with a mobile payload offers to pair the device.
  var autoEnrollment = true
  var pairingDisabled = false
  /// What is thought of a device about whose integrity nothing is known.
  var integrityDetection: IntegrityVerdict.Strictness?

  private static let pushTimeouts = TimeSpan.Limits(seconds: 40...150, units: [.seconds])
  private static let keyLifetimes = TimeSpan.Limits(seconds: 60...172_800, units: [.minutes, .hours])

  var json: JSONObject {
    var authorization: JSONObject = ["enabled": .bool(deviceAuthorization)]
    authorization["extraVerification"] = extraVerification.map { .choice($0) }
    var members: JSONObject = [
      "push": ["enabled": .bool(isPushEnabled), "numberMatching": ["enabled": .bool(numberMatching)]],
      "otp": ["enabled": .bool(isPasscodeEnabled)], "pushTimeout": pushTimeout.json(),
      "pairingKeyLifetime": pairingKeyLifetime.json(), "pushLimit": pushLimit.json,
      "autoEnrollment": ["enabled": .bool(autoEnrollment)], "deviceAuthorization": .object(authorization),
      "pairingDisabled": .bool(pairingDisabled),
    ]
    members["integrityDetection"] = integrityDetection.map { .choice($0) }
    return members
  }

  /// Takes over what an update gives; what it leaves out stays as it is, and what may be absent goes by null.
  mutating func update(from application: Members) throws(PingOneError) {
    if let push = try application.members("push") {
      isPushEnabled = try push.bool("enabled") ?? isPushEnabled
      numberMatching = try push.isEnabled("numberMatching") ?? numberMatching
    }
    isPasscodeEnabled = try application.isEnabled("otp") ?? isPasscodeEnabled
    pushTimeout = try application.timeSpan("pushTimeout", Self.pushTimeouts) ?? pushTimeout
    pairingKeyLifetime =
      try application.timeSpan("pairingKeyLifetime", Self.keyLifetimes) ?? pairingKeyLifetime
    if let limit = try application.members("pushLimit") { try pushLimit.update(from: limit) }
    autoEnrollment = try application.isEnabled("autoEnrollment") ?? autoEnrollment
    pairingDisabled = try application.bool("pairingDisabled") ?? pairingDisabled
    if let authorization = try application.members("deviceAuthorization") {
      deviceAuthorization = try authorization.bool("enabled") ?? deviceAuthorization
      try Self.take(&extraVerification, "extraVerification", from: authorization)
    }
    try Self.take(&integrityDetection, "integrityDetection", from: application)
  }

  private static func take(
    _ strictness: inout IntegrityVerdict.Strictness?,
    _ name: String,
    from members: Members
  ) throws(PingOneError) {
    guard members.object[name] != nil else { return }
    strictness = try members.choice(name, of: IntegrityVerdict.Strictness.self)
  }
}

/// After how many pushes that were ignored or denied one after the other an account is closed for pushes.
struct PushLimit: Codable, Sendable {
  var count = 5
  /// How close together they have to be.
  var period = TimeSpan(10, .minutes)
  var lockDuration = TimeSpan(30, .minutes)

  private static let counts = 1...50
  private static let durations = TimeSpan.Limits(seconds: 60...7200, units: [.seconds, .minutes])

  fileprivate var json: JSON {
    ["count": .int(count), "timePeriod": period.json(), "lockDuration": lockDuration.json()]
  }

  fileprivate mutating func update(from limit: Members) throws(PingOneError) {
    count = try limit.int("count", in: Self.counts) ?? count
    period = try limit.timeSpan("timePeriod", Self.durations) ?? period
    lockDuration = try limit.timeSpan("lockDuration", Self.durations) ?? lockDuration
  }
}
