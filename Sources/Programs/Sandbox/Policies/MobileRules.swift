import JSON

/// What a policy says about mobile devices, whatever their application.
struct MobileRules: Codable, Sendable {
  var isEnabled = true
  /// Whether a device asks its user for a nickname when it is paired.
  var promptsForNickname = false
  /// How many wrong passcodes in a row close a device for passcodes.
  var passcodeFailures = 3
  /// How long it stays closed.
  var passcodeCoolDown = TimeSpan(2, .minutes)

  private static let failureCounts = 1...7
  private static let coolDowns = TimeSpan.Limits(seconds: 2...1800, units: [.seconds, .minutes])

  var json: JSONObject {
    [
      "enabled": .bool(isEnabled), "promptForNicknameOnPairing": .bool(promptsForNickname),
      "otp": ["failure": ["count": .int(passcodeFailures), "coolDown": passcodeCoolDown.json()]],
    ]
  }

  mutating func update(from mobile: Members) throws(PingOneError) {
    isEnabled = try mobile.bool("enabled") ?? isEnabled
    promptsForNickname = try mobile.bool("promptForNicknameOnPairing") ?? promptsForNickname
    guard let failure = try mobile.members("otp")?.members("failure") else { return }
    passcodeFailures = try failure.int("count", in: Self.failureCounts) ?? passcodeFailures
    passcodeCoolDown = try failure.timeSpan("coolDown", Self.coolDowns) ?? passcodeCoolDown
  }
}
