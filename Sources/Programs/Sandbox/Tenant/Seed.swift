import OpenSSL
import Time

/// The initial state of a sandbox, new or stored.
struct Seed: Codable, Sendable {
  let environment: PlatformEnvironment
  /// Default settings, which a null in a patch of the settings restores.
  let defaults: EnvironmentSettings
  var settings: EnvironmentSettings
  let adminToken: String
  let platformKey: SigningKey
  /// Token keys, the signing key first.
  ///
  /// They are created on first use, because creating them takes longer than the rest of the start.
  var tokenKeys: [SigningKey] = []
  var lead = 0
  var notifications = NotificationLog()
  var oidcSettings = OIDCSettings()
  var amSettings = AMSettings()
  var signOnPolicy = SignOnPolicy.singleFactor
  /// Error with which the push services refuse every push; `nil` if they accept pushes.
  var transportRefusal: String?
  // Initial records of a new sandbox.
  var otherSignOnPolicies: [SignOnPolicy] = []
  var users: [PlatformUser] = []
}

extension Seed {
  /// Returns a new seed, with the users ann and bob or without users.
  static func random(now: Timestamp, selfService: Bool, hasStandardUsers: Bool) throws(OpenSSLError) -> Seed {
    let environment = PlatformEnvironment(
      id: .random(),
      organization: .random(),
      name: "Sandbox",
      license: .random()
    )
    var settings = EnvironmentSettings(application: Application(), policy: Policy())
    if selfService {
      settings.policy.hasTOTP = true
      settings.application.scopes = Application.selfServiceScopes
    }
    return Seed(
      environment: environment,
      defaults: settings,
      settings: settings,
      adminToken: randomText(43, of: tokenAlphabet),
      platformKey: SigningKey(try .generateP256()),
      otherSignOnPolicies: [.multiFactor],
      users: (hasStandardUsers ? PlatformUser.standardNames : []).map { username in
        PlatformUser(seeded: username, password: nil, at: now)
      }
    )
  }
}
