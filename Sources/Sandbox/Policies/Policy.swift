import JSON

/// The device authentication policy, with the documented defaults.
struct Policy: Sendable {
  let id: ID<Policy>
  let name = "Sandbox policy"
  /// Whether a push shows a number on the sign-on page that must be entered on the device.
  var numberMatching = false
  /// How long a push can be answered, in seconds.
  var pushTimeout = 40
  /// How long a pairing key can be used, in seconds.
  var pairingKeyLifetime = 600
  /// How many wrong passcodes in a row close a device for passcodes.
  var passcodeFailures = 3
  /// How long it stays closed, in seconds.
  var passcodeCoolDown = 120
  /// Whether a sign-on with a mobile payload offers to pair the device.
  var autoEnrollment = true

  init(id: ID<Policy>) { self.id = id }
}

extension Policy {
  /// The limits of the documented members.
  private static let pushTimeouts = 40...150
  private static let pairingKeyLifetimes = 60...172_800
  private static let failureCounts = 1...7
  private static let coolDowns = 2...1800

  /// The policy as the management API shows it.
  func json(application: Application) -> JSON {
    let otp: JSON = [
      "failure": ["count": .int(passcodeFailures), "coolDown": .seconds(passcodeCoolDown)]
    ]
    return [
      "id": .id(id), "name": .string(name), "default": true,
      "authentication": ["deviceSelection": "DEFAULT_TO_FIRST"],
      "mobile": [
        "enabled": true, "otp": otp,
        "applications": [
          [
            "id": .id(application.id),
            "push": ["enabled": true, "numberMatching": ["enabled": .bool(numberMatching)]],
            "otp": ["enabled": true],
            "pushTimeout": .seconds(pushTimeout),
            "pairingKeyLifetime": .seconds(pairingKeyLifetime),
            "autoEnrollment": ["enabled": .bool(autoEnrollment)],
            "deviceAuthorization": ["enabled": false],
            "pairingDisabled": false,
          ]
        ],
      ],
    ]
  }

  /// Takes over those members of an update that change something in the sandbox.
  mutating func update(from body: Members) throws(PingOneError) {
    guard let mobile = try body.members("mobile") else { return }
    if let failure = try mobile.members("otp")?.members("failure") {
      passcodeFailures = try failure.int("count", in: Self.failureCounts) ?? passcodeFailures
      passcodeCoolDown = try failure.seconds("coolDown", in: Self.coolDowns) ?? passcodeCoolDown
    }
    guard let application = mobile.object["applications"]?.array?.first?.object.map(Members.init) else {
      return
    }
    pushTimeout = try application.seconds("pushTimeout", in: Self.pushTimeouts) ?? pushTimeout
    pairingKeyLifetime =
      try application.seconds("pairingKeyLifetime", in: Self.pairingKeyLifetimes) ?? pairingKeyLifetime
    autoEnrollment = try application.members("autoEnrollment")?.bool("enabled") ?? autoEnrollment
    let matching = try application.members("push")?.members("numberMatching")
    numberMatching = try matching?.bool("enabled") ?? numberMatching
  }
}

extension JSON {
  /// A duration as the platform writes it.
  static func seconds(_ count: Int) -> JSON { ["duration": .int(count), "timeUnit": "SECONDS"] }
}

extension Members {
  /// A duration `{duration, timeUnit}` in seconds.
  func seconds(_ name: String, in range: ClosedRange<Int>) throws(PingOneError) -> Int? {
    guard let members = try members(name) else { return nil }
    guard let duration = try members.int("duration", in: 0...1_000_000),
      let unit = try members.text("timeUnit")
    else { throw .invalid(name, "must have both duration and timeUnit", code: "REQUIRED_VALUE") }
    let factors = ["SECONDS": 1, "MINUTES": 60, "HOURS": 3600]
    guard let factor = factors[unit] else { throw .invalid("\(name).timeUnit", "is not a unit of time") }
    guard range.contains(duration * factor) else {
      throw .invalid(
        name,
        "must be from \(range.lowerBound) to \(range.upperBound) seconds",
        code: "OUT_OF_RANGE"
      )
    }
    return duration * factor
  }
}
