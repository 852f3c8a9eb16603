internal import JSON

/// A server's requirements on the machine on which an account is used: policies by name, with their options.
public struct AMPolicies: Sendable {
  /// The policies as received, for storage; empty if there are none.
  public let text: String
  private let members: JSONObject

  static let longest = 4096

  /// Reads policies; treats a text that is not a JSON object as no policies, as all clients but one do.
  public init(_ text: String) {
    let object = (try? JSON(parsing: Array(text.utf8), maximumDepth: 8))?.object ?? [:]
    (self.text, members) = (object.isEmpty ? "" : text, object)
  }

  /// Returns the first violated policy in the order of `AMPolicy`; other policies are ignored.
  public func firstUnmet(by facts: AMHostFacts) -> AMPolicy? {
    AMPolicy.allCases.first { policy in
      guard let options = members[policy.rawValue] else { return false }
      switch policy {
      case .biometricAvailable: return !facts.hasBiometrics
      // A tampering score equal to the limit violates the policy too.
      case .deviceTampering:
        return facts.tampering >= (options["score"]?.double ?? AMPolicy.standardTamperingScore)
      }
    }
  }
}

/// The policies that PingAM's clients know, in the order of their checks.
public enum AMPolicy: String, Sendable, CaseIterable {
  /// Biometric authentication is available.
  case biometricAvailable
  /// The tampering score of the machine's software is below a limit.
  case deviceTampering

  /// The default limit of newer clients; older clients have a less strict default.
  static let standardTamperingScore = 0.8
}

/// Facts about the machine that policies check.
public struct AMHostFacts: Sendable {
  public var hasBiometrics: Bool
  /// Probability of tampering, from 0 to 1.
  public var tampering: Double

  public init(hasBiometrics: Bool, tampering: Double) {
    (self.hasBiometrics, self.tampering) = (hasBiometrics, tampering)
  }
}
