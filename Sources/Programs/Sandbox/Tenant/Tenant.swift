import EventLoop
import Time

/// The state of the sandbox: one environment with its settings, users, devices and activities.
@EventLoop @dynamicMemberLookup final class Tenant {
  /// URL of the sandbox, without a trailing slash.
  let url: String
  /// The parts of the state that exist only once.
  private(set) var seed: Seed
  var clock: SandboxClock

  var users = RecordStore<PlatformUser>()
  var pairingKeys = RecordStore<IssuedPairingKey>()
  var trustedDevices = RecordStore<TrustedDevice>()
  var devices = RecordStore<MFADevice>()
  var notifications: NotificationLog
  var authentications = RecordStore<DeviceAuthentication>()
  var authenticationCodes = RecordStore<IssuedCode>()
  var receivedLogs = RecordStore<ReceivedLog>()
  var factors = RecordStore<AMFactor>()

  var replays = ReplayGuard()
  var signOnPolicies: StandardShelf<SignOnPolicy>
  var sessions = RecordStore<BrowserSession>()
  var families = RecordStore<TokenFamily>()
  var accessTokens = RecordStore<AccessToken>()
  var refreshTokens = RecordStore<RefreshToken>()
  // Sign-ons in progress. They are not stored.
  var pushedRequests = RecordStore<PushedRequest>()
  var grants = RecordStore<AuthorizationGrant>()
  var deviceGrants = RecordStore<DeviceCodeGrant>()
  let flows: FlowLibrary
  var plays = RecordStore<FlowPlay>()
  var messages = RecordStore<Message>()
  var pushRecords = RecordStore<SentMessage>()
  var pushMessages = RecordStore<PushMessage>()
  /// Skipped factors, each as realm, user and kind.
  var skippedFactors: Set<String> = []
  let delegate = PushDelegate()
  var faults = FaultList()
  var guests = ConsoleSessions()
  let bells = PollNotifier()

  init(url: String, seed: Seed, flows: FlowLibrary, time: TimeSource) {
    self.url = url
    self.flows = flows
    self.seed = seed
    clock = SandboxClock(time, lead: seed.lead)
    signOnPolicies = StandardShelf(seed.signOnPolicy)
    notifications = seed.notifications
    for policy in seed.otherSignOnPolicies { signOnPolicies.put(policy) }
    for user in seed.users { users.put(user) }
  }

  subscript<Value>(dynamicMember path: KeyPath<Seed, Value>) -> Value { seed[keyPath: path] }

  subscript<Value>(dynamicMember path: WritableKeyPath<Seed, Value>) -> Value {
    get { seed[keyPath: path] }
    set { seed[keyPath: path] = newValue }
  }

  var application: Application { self.settings.application }
  var policy: Policy { self.settings.policy }
  var mfaSettings: MFASettings { self.settings.mfaSettings }

  /// Path of the environment in the management API, as a route pattern.
  nonisolated static let managed = "/v1/environments/{environment}"
  var managementURL: String { "\(url)/v1/environments/\(self.environment.id.text)" }
  var authenticationURL: String { "\(url)/\(self.environment.id.text)" }
  var issuer: String { "\(authenticationURL)/as" }
}

/// An expiry time on the clock that `POST /sandbox/clock` moves.
struct EndTime: Codable, Hashable { let instant: Timestamp }

/// The sandbox's two clocks: the real one for proofs and signatures, and the movable one for expiry.
struct SandboxClock: Sendable {
  private let source: TimeSource
  /// Seconds by which the movable clock is ahead of the real clock.
  var lead = 0

  /// Seconds by which the time for passcode checks, key proofs and dates of responses is ahead.
  var skew = 0

  init(_ source: TimeSource, lead: Int = 0) {
    self.source = source
    self.lead = lead
  }

  var now: Timestamp { source.now() }

  var passcodeTime: Timestamp { now.adding(seconds: skew) }

  var present: EndTime { deadline(in: 0) }

  func deadline(in seconds: Int) -> EndTime { EndTime(instant: now.adding(seconds: lead + seconds)) }

  func isOver(_ deadline: EndTime) -> Bool { now.adding(seconds: lead) >= deadline.instant }

  /// Returns the time of a deadline on the real clock, provided that the movable clock is not moved again.
  func instant(of deadline: EndTime) -> Timestamp { deadline.instant.adding(seconds: -lead) }
}
