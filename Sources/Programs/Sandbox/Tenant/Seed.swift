import OpenSSL
import Time

/// What a sandbox begins with, fresh or from before.
struct Seed: Codable, Sendable {
  let environment: Environment
  var application: Application
  let adminToken: String
  let platformKey: SigningKey
  /// The keys for tokens, the one that signs first, once there is one: to make it takes longer than all the rest of a
  /// start.
  var tokenKeys: [SigningKey] = []
  var policy: Policy
  var lead = 0
  var notifications = NotificationLog()
  var mfaSettings = MFASettings()
  var oidcSettings = OIDCSettings()
  var amSettings = AMSettings()
  var signOnPolicy = SignOnPolicy.singleFactor
  /// What the transports of pushes refuse every push with.
  var transportRefusal: String?
  // What stands on the shelves of a fresh sandbox.
  var otherSignOnPolicies: [SignOnPolicy] = []
  var users: [User] = []
  var pushCredentials: [PushCredential] = []
}

extension Seed {
  /// A fresh seed with the users ann and bob or none, and push credentials of every kind that is not outdated.
  static func random(now: Timestamp, selfService: Bool, hasStandardUsers: Bool) throws(OpenSSLError) -> Seed {
    let environment = Environment(id: .random(), organization: .random(), name: "Sandbox", license: .random())
    var application = Application(name: "mfad", packageName: "mfad", createdAt: now, updatedAt: now)
    var policy = Policy(id: .random(), name: "Sandbox policy")
    policy.setRules(ApplicationRules(), for: application.id)
    if selfService {
      policy.totp.isEnabled = true
      application.scopeGrant =
        ScopeGrant(id: .random(), application: application.id, scopes: SelfServiceScope.all)
    }
    return Seed(
      environment: environment,
      application: application,
      adminToken: randomText(43, of: tokenAlphabet),
      platformKey: SigningKey(try .generateP256()),
      policy: policy,
      otherSignOnPolicies: [.multiFactor],
      users: (hasStandardUsers ? User.standardNames : []).map { username in
        User(seeded: username, password: nil, at: now)
      },
      pushCredentials: [.apns, .fcmHTTPV1, .hms].map { kind in
        PushCredential(type: kind, of: application.id, at: now)
      }
    )
  }
}
