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

  private(set) var maximumDevices = 5
  private(set) var pairingKeyFormat = PairingKeyFormat.numeric
  /// After how many failures a user is locked; `nil` for never.
  private(set) var failureCount: Int?
  /// For how many seconds a user is locked; `nil` until an administrator unlocks the user.
  private(set) var lockSeconds: Int?
  /// Whether users are created with multi-factor authentication switched on.
  private(set) var isOnForNewUsers = false

  static let fields: [Field<MFASettings>] = [
    Field("pairing.maxAllowedDevices", \.maximumDevices, .int(1...15)),
    Field("pairing.pairingKeyFormat", \.pairingKeyFormat, .choice),
    Field("users.mfaEnabled", \.isOnForNewUsers, .flag),
    Field("lockout.failureCount", \.failureCount, .int(1...100)),
    Field("lockout.durationSeconds", \.lockSeconds, .int(1...31_622_400)),
  ]

  func requireFailureCount() throws(Refusal) {
    guard lockSeconds == nil || failureCount != nil else {
      throw .invalid("mfaSettings.lockout.failureCount", "must be given", code: "REQUIRED_VALUE")
    }
  }
}
