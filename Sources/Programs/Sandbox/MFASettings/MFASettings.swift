import JSON

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
    Field("users.mfaEnabled", \.isOnForNewUsers, .flag), Field("lockout", \.lockout, .lockout),
  ]
}

extension Form where Value == MFASettings.Lockout {
  fileprivate static var lockout: Form {
    Form { body, name throws(Refusal) in
      guard let members = try body.members(name) else { return nil }
      let count = try members.requiredInt("failureCount", in: 1...100)
      return Value(failureCount: count, duration: try members.int("durationSeconds", in: 1...31_622_400))
    }
  }
}
