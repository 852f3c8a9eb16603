import JSON

/// What holds for multi-factor authentication in the whole environment.
struct MFASettings: Codable, Sendable {
  enum PairingKeyFormat: String, CaseIterable, Codable {
    case numeric = "NUMERIC"
    case alphanumeric = "ALPHANUMERIC"

    /// The characters of a key after the two of its geography.
    var random: String {
      switch self {
      case .numeric: randomText(12, of: digits)
      case .alphanumeric: randomText(16, of: codeAlphabet)
      }
    }
  }

  /// After how many failures in a row a user is locked, and for how long.
  struct Lockout: Codable, Sendable {
    var failureCount: Int
    /// In seconds; `nil` until an administrator unlocks the user.
    var duration: Int?
  }

  var maximumDevices = 5
  var pairingKeyFormat = PairingKeyFormat.numeric
  var lockout: Lockout?
  /// Whether users are created with multi-factor authentication switched on.
  var isOnForNewUsers = false

  private static let deviceCounts = 1...15
  private static let failureCounts = 1...100
  private static let durations = 1...(366 * 24 * 3600)

  var json: JSONObject {
    var members: JSONObject = [
      "pairing": [
        "maxAllowedDevices": .int(maximumDevices), "pairingKeyFormat": .choice(pairingKeyFormat),
      ],
      "users": ["mfaEnabled": .bool(isOnForNewUsers)],
    ]
    members["lockout"] = lockout.map { lockout in
      .present([
        ("failureCount", .int(lockout.failureCount)), ("durationSeconds", lockout.duration.map { .int($0) }),
      ])
    }
    return members
  }

  /// Takes over what an update gives; what it leaves out stays as it is, and the lockout goes by null.
  mutating func update(from body: Members) throws(PingOneError) {
    if let pairing = try body.members("pairing") {
      maximumDevices = try pairing.int("maxAllowedDevices", in: Self.deviceCounts) ?? maximumDevices
      pairingKeyFormat =
        try pairing.choice("pairingKeyFormat", of: PairingKeyFormat.self) ?? pairingKeyFormat
    }
    isOnForNewUsers = try body.members("users")?.bool("mfaEnabled") ?? isOnForNewUsers
    guard body.object["lockout"] != nil else { return }
    guard let members = try body.members("lockout") else {
      lockout = nil
      return
    }
    guard let count = try members.int("failureCount", in: Self.failureCounts) else {
      throw members.missing("failureCount")
    }
    lockout = Lockout(
      failureCount: count,
      duration: try members.int("durationSeconds", in: Self.durations)
    )
  }
}
