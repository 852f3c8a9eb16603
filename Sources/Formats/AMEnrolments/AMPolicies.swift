internal import JSON

/// What a server wants of the machine on which an account is used: names of policies, each with its options.
public struct AMPolicies: Sendable {
  /// As it came, to be stored; empty if there are none.
  public let text: String
  private let members: JSONObject

  static let longest = 4096

  /// Reads them; what is no JSON object wants nothing, as for all clients but one.
  public init(_ text: String) {
    let object = (try? JSON(parsing: Array(text.utf8), maximumDepth: 8))?.object ?? [:]
    (self.text, members) = (object.isEmpty ? "" : text, object)
  }

  /// The first policy that a machine does not meet, in the order of the clients; what they do not know wants nothing.
  public func firstUnmet(by facts: AMHostFacts) -> AMPolicy? {
    AMPolicy.allCases.first { policy in
      guard let options = members[policy.rawValue] else { return false }
      switch policy {
      case .biometricAvailable: return !facts.hasBiometrics
      // A score is reached, not only exceeded.
      case .deviceTampering:
        return facts.tampering >= (options["score"]?.double ?? AMPolicy.standardTamperingScore)
      }
    }
  }
}

/// The policies that PingAM's clients know, in the order in which they look.
public enum AMPolicy: String, Sendable, CaseIterable {
  /// A person can be recognized by what they are.
  case biometricAvailable
  /// Nobody has changed what the machine runs, up to a score.
  case deviceTampering

  /// That of the newer clients, which is the stricter one.
  static let standardTamperingScore = 0.8
}

/// What is measured of a machine for policies.
public struct AMHostFacts: Sendable {
  public var hasBiometrics: Bool
  /// From 0, nothing speaks for it, to 1, it was done.
  public var tampering: Double

  public init(hasBiometrics: Bool, tampering: Double) {
    (self.hasBiometrics, self.tampering) = (hasBiometrics, tampering)
  }
}
