import OpenSSL
import Time

/// What a sandbox begins with, fresh or from before.
struct Seed: Codable, Sendable {
  let environment: PlatformEnvironment
  /// The settings that a null puts back.
  let defaults: EnvironmentSettings
  var settings: EnvironmentSettings
  let adminToken: String
  let platformKey: SigningKey
  /// The keys for tokens, the one that signs first, once there is one: to make it takes longer than all the rest of a
  /// start.
  var tokenKeys: [SigningKey] = []
  var lead = 0
  var notifications = NotificationLog()
  var oidcSettings = OIDCSettings()
  var amSettings = AMSettings()
  var signOnPolicy = SignOnPolicy.singleFactor
  /// What the transports of pushes refuse every push with.
  var transportRefusal: String?
  // What stands on the shelves of a fresh sandbox.
  var otherSignOnPolicies: [SignOnPolicy] = []
  var users: [PlatformUser] = []
}

extension Seed {
  /// A fresh seed with the users ann and bob or none.
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
