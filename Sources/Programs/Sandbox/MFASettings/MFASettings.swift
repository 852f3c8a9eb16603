import JSON

/// What holds for multi-factor authentication in the whole environment.
struct MFASettings: Codable, Sendable {
  enum PairingKeyFormat: String, CaseIterable, Codable, Shown {
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
  struct Lockout: Codable, Shown {
    let failureCount: Int
    /// In seconds; `nil` until an administrator unlocks the user.
    let duration: Int?

    var json: JSON { .of(["failureCount": failureCount, "durationSeconds": duration]) }
  }

  private(set) var maximumDevices = 5
  private(set) var pairingKeyFormat = PairingKeyFormat.numeric
  private(set) var lockout: Lockout?
  /// Whether users are created with multi-factor authentication switched on.
  private(set) var isOnForNewUsers = false

  static let fields: [Field<MFASettings>] = [
    Field("pairing.maxAllowedDevices", \.maximumDevices, .int(1...15)),
    Field("pairing.pairingKeyFormat", \.pairingKeyFormat, .choice),
    Field("users.mfaEnabled", \.isOnForNewUsers, .flag),
    Field("lockout", \.lockout),
  ]

  /// Takes over what an update gives; what it leaves out stays as it is, and the lockout goes by null.
  mutating func update(from body: Members) throws(PingOneError) {
    try Self.fields.update(&self, from: body)
    guard body.object["lockout"] != nil else { return }
    guard let members = try body.members("lockout") else {
      lockout = nil
      return
    }
    guard let count = try members.int("failureCount", in: 1...100) else {
      throw members.missing("failureCount")
    }
    lockout = Lockout(
      failureCount: count,
      duration: try members.int("durationSeconds", in: 1...(366 * 24 * 3600))
    )
  }
}
