internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import PingOne
internal import Settings
internal import Time
internal import WebAddress

/// One sign-on under way: whose it is, what it was begun with, and what its flow works with.
@EventLoop
final class Login {
  /// How long a sign-on may take.
  static let lifetime = Duration.seconds(600)

  let id: String
  let owner: uid_t
  let call: LoginStart
  let parts: SignOnParts
  let configuration: Configuration
  let transport: SignOnTransport
  /// The issuer of the tokens; `nil` for a journey that ends without any.
  let client: OIDCClient?
  let mutex = AsyncMutex()
  let time: TimeSource
  private let begun: Duration

  /// The machine that plays it.
  var flow: (any SignOnFlow)?
  /// The request that the tokens have to belong to, once it was made.
  var request: AuthorizationRequest?
  /// The code that the server gave for it: whoever answers after the exchange has failed only repeats that.
  var code: String?
  /// What the person is asked before passcodes leave this machine, while they are.
  var question: PasscodeQuestion?
  /// The step that was shown last.
  var page = SignOnPage()
  /// How many inputs were taken.
  var steps = 0
  /// Whether it is over, however far an input to it has come.
  private(set) var isOver = false

  init(
    id: String,
    owner: uid_t,
    call: LoginStart,
    parts: SignOnParts,
    configuration: Configuration,
    transport: SignOnTransport,
    client: OIDCClient?,
    time: TimeSource
  ) {
    (self.id, self.owner, self.call, self.parts) = (id, owner, call, parts)
    (self.configuration, self.transport, self.client, self.time) = (configuration, transport, client, time)
    begun = time.uptime()
  }

  /// After how many seconds it is over at the latest.
  var secondsLeft: Int { max(0, Int((begun + Self.lifetime - time.uptime()).components.seconds)) }

  /// Whether what it leaves is kept: as was decided last, not as it was when it began.
  var keepsSession: Bool { parts.settings.current.keepsSession }

  /// Ends it: whoever waits for it waits no longer, and what is under way leads to nothing.
  func end() {
    isOver = true
    transport.close()
    flow?.end()
    flow = nil
    mutex.interrupt()
  }

  /// Whom the answers go to: the issuer, or of a journey its server.
  var receiver: String? { call.method == .journey ? transport.origin.text : client?.issuer.issuer }

  /// Whether the issuer may offer to pair: there is a platform, and the sign-on is not for another purpose.
  var offersPairing: Bool { configuration.hasPlatform && call.devices == nil }

  /// The issuer's client, where tokens are wanted.
  func requireClient() throws -> OIDCClient {
    guard let client else { throw RPCError.notConfigured }
    return client
  }

  /// A new authorization request; with `pairs`, it carries a payload by which the platform offers to pair.
  ///
  /// A forced sign-on says so to the issuer, unless the person has just proven who they are: `isAnew` is false then.
  func makeRequest(
    responseMode: String?,
    redirectURI: String? = nil,
    state: String? = nil,
    pairs: Bool,
    isAnew: Bool = true
  ) async throws -> AuthorizationRequest {
    let client = try requireClient()
    let proofKey = try ProofKey()
    let payload =
      pairs && offersPairing
      ? try await parts.payloads.make(
        for: owner,
        audience: client.issuer.issuer,
        challenge: proofKey.challenge
      ).mobilePayload : nil
    let request = try AuthorizationRequest(
      clientID: client.clientID,
      redirectURI: redirectURI ?? client.redirectURI,
      scope: client.scope,
      responseMode: responseMode,
      proofKey: proofKey,
      state: state,
      mobilePayload: payload,
      isAnew: isAnew && call.forcesAuthentication,
      extra: call.parameters
    )
    self.request = request
    return request
  }
}
