import JSON

/// What an application says about its app: the member `mobile`.
struct MobileSettings: Codable, Sendable {
  /// How a push lets the number be matched that the sign-on page shows.
  enum NumberMatching: String, CaseIterable, Codable {
    case selectNumber = "SELECT_NUMBER"
    case enterManually = "ENTER_MANUALLY"
  }

  enum Mode: String, CaseIterable, Codable {
    case enabled = "ENABLED"
    case disabled = "DISABLED"
  }

  /// How long a passcode is shown.
  var passcodeRefresh = TimeSpan(30, .seconds)
  /// How many passcodes on either side of the present one are taken.
  var passcodeGraceWindows = 5
  var integrityDetection = Mode.disabled
  /// How long a good verdict about a device's integrity is as good as a new one.
  var integrityCache: TimeSpan?
  var numberMatching = NumberMatching.enterManually
  /// What the address of an authentication code begins with.
  var uriPrefix: String?

  static let passcodeDigits = 6

  private static let passcodeRefreshes = TimeSpan.Limits(seconds: 30...60, units: [.seconds])
  private static let graceWindows = 1...10
  private static let cacheDurations = TimeSpan.Limits(seconds: 60...172_800, units: [.minutes, .hours])
  private static let maximumPrefix = 256

  var json: JSON {
    .present([
      ("passcodeRefreshDuration", passcodeRefresh.json()),
      ("passcodeGracePeriod", .int(passcodeGraceWindows)),
      (
        "integrityDetection",
        .present([
          ("mode", .string(integrityDetection.rawValue)), ("cacheDuration", integrityCache?.json(.amount)),
        ])
      ),
      ("push", ["numberMatching": ["type": .string(numberMatching.rawValue)]]),
      ("uriPrefix", uriPrefix.map { .string($0) }),
    ])
  }

  /// Takes over what an update gives; what it leaves out stays as it is.
  mutating func update(from mobile: Members) throws(PingOneError) {
    passcodeRefresh =
      try mobile.timeSpan("passcodeRefreshDuration", Self.passcodeRefreshes) ?? passcodeRefresh
    passcodeGraceWindows =
      try mobile.int("passcodeGracePeriod", in: Self.graceWindows) ?? passcodeGraceWindows
    if let integrity = try mobile.members("integrityDetection") {
      integrityDetection = try integrity.choice("mode", of: Mode.self) ?? integrityDetection
      integrityCache =
        try integrity.timeSpan("cacheDuration", Self.cacheDurations, names: .amount) ?? integrityCache
      guard integrityDetection == .disabled || integrityCache != nil else {
        throw integrity.missing("cacheDuration")
      }
    }
    let matching = try mobile.members("push")?.members("numberMatching")
    numberMatching = try matching?.choice("type", of: NumberMatching.self) ?? numberMatching
    if mobile.object["uriPrefix"] != nil {
      let prefix = try mobile.text("uriPrefix", maximum: Self.maximumPrefix)
      uriPrefix = prefix?.isEmpty ?? true ? nil : prefix
    }
  }
}
