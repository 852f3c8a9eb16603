import EventLoop
import OpenSSL
import Time

/// Everything that the sandbox knows: one environment with its applications, policies, users, devices and what they do.
@EventLoop
final class Tenant {
  /// The address that the sandbox is reached by, without a slash at its end.
  let url: String
  let environment: Environment
  let adminToken: String
  let platformKey: SigningKey
  /// The keys for tokens, the one that signs first, once there is one: to make it takes longer than all the rest of a
  /// start.
  var tokenKeys: [SigningKey]
  var clock: SandboxClock

  var applications: StandardShelf<Application>
  var policies: StandardShelf<Policy>
  var mfaSettings: MFASettings
  var pushCredentials = Shelf<PushCredential>()
  var users = Shelf<User>()
  var pairingKeys = Shelf<PairingKey>()
  var trustedDevices = Shelf<TrustedDevice>()
  var devices = Shelf<MobileDevice>()
  var notifications: NotificationLog
  var authentications = Shelf<DeviceAuthentication>()
  var authenticationCodes = Shelf<AuthenticationCode>()
  var activities = Shelf<Activity>()
  var receivedLogs = Shelf<ReceivedLog>()

  var replays = ReplayGuard()
  var signOnPolicies: StandardShelf<SignOnPolicy>
  var sessions = Shelf<SignOnSession>()
  var families = Shelf<TokenFamily>()
  var accessTokens = Shelf<AccessToken>()
  var refreshTokens = Shelf<RefreshToken>()
  var oidcSettings: OIDCSettings
  // Sign-ons under way, which are lost when the sandbox ends.
  var pushedRequests = Shelf<PushedRequest>()
  var grants = Shelf<AuthorizationGrant>()
  var deviceGrants = Shelf<DeviceGrant>()
  let flows: FlowLibrary
  let plays = FlowPlays()
  var messages = Shelf<Message>()
  var faults = FaultList()
  let bells = Bells()
  /// What the transports of pushes refuse every push with.
  var transportRefusal: String?

  init(url: String, seed: Seed, flows: FlowLibrary, time: TimeSource) {
    self.url = url
    self.flows = flows
    clock = SandboxClock(time, lead: seed.lead)
    environment = seed.environment
    applications = StandardShelf(seed.application)
    adminToken = seed.adminToken
    platformKey = seed.platformKey
    tokenKeys = seed.tokenKeys
    oidcSettings = seed.oidcSettings
    signOnPolicies = StandardShelf(seed.signOnPolicy)
    policies = StandardShelf(seed.policy)
    mfaSettings = seed.mfaSettings
    notifications = seed.notifications
    transportRefusal = seed.transportRefusal
    for policy in seed.otherSignOnPolicies { signOnPolicies.put(policy) }
    for user in seed.users { users.put(user) }
    for credential in seed.pushCredentials { pushCredentials.put(credential) }
  }

  /// The application that the sandbox began with, whose OIDC client it is.
  var application: Application { applications.standard }
  var policy: Policy { policies.standard }

  /// The policy of that identifier; the default one in place of one that is gone.
  func policy(_ id: ID<Policy>) -> Policy { policies[id] ?? policy }

  /// The path of the management API for the environment, as routes have it.
  nonisolated static let managed = "/v1/environments/{environment}"
  /// The base of the management API for the environment.
  var managementURL: String { "\(url)/v1/environments/\(environment.id.text)" }
  /// The base of the authentication API for the environment.
  var authenticationURL: String { "\(url)/\(environment.id.text)" }
  var issuer: String { "\(authenticationURL)/as" }
}
