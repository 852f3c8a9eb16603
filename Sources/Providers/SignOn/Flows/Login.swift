internal import Accounts
internal import Approvals
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import OpenIDConnect
internal import Settings
internal import Time
internal import Vault
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
  private(set) var request: AuthorizationRequest?
  /// The code that the server gave for it: whoever answers after the exchange has failed only repeats that.
  private(set) var code: String?
  /// What the person is asked before passcodes leave this machine, while they are.
  private(set) var question: PasscodeQuestion?
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
  var keepsSession: Bool { parts.core.settings.current.keepsSession }

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
      ? try await parts.platform.mobilePayload(owner, client.issuer.issuer, proofKey.challenge) : nil
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

extension Login {
  /// The end of a flow in `pi.flow`: its authorization response becomes tokens.
  func tokens(for response: JSON) async throws -> Step {
    guard let request, let members = response.object else { throw SignOnFailure.noCode }
    let client = try requireClient()
    let code = try request.code(in: members, from: client.issuer)
    return .done(try await exchange(code))
  }

  /// Exchanges the code that the server gave for this sign-on; from here there is nothing else to go on with.
  func exchange(_ code: String) async throws -> Tokens {
    guard let request else { throw SignOnFailure.noCode }
    self.code = code
    do { return try await requireClient().exchange(code, of: request) } catch let error as OAuthError {
      throw SignOnFailure.refused(error)
    }
  }
}

extension Login {
  /// Answers the step; where the answer holds passcodes of this machine, the person is asked first.
  ///
  /// A passcode is wanted by `{"passcode": <account>}` in the place of a value, since nothing of a page tells for certain
  /// which field that is. It goes only to the issuer that its account belongs to.
  func answer(_ input: StepInput, _ flow: any SignOnFlow) async throws -> Step {
    if let question {
      switch input.action {
      case PasscodeQuestion.release.key:
        let step = try await flow.next(try filledIn(question))
        self.question = nil
        return step
      case PasscodeQuestion.keep.key:
        self.question = nil
        return .page(page)
      case nil where input.values.isEmpty: return .page(question.page)
      default: self.question = nil
      }
    }
    let wanted = try input.values.members.compactMap { member in
      try OwnPasscode(value: member.value).map {
        PasscodeQuestion.Wanted(field: member.name, account: try accountOfPasscodes(named: $0.account))
      }
    }
    guard wanted.isEmpty else { return ask(question(about: input, wanted)) }
    return try await flow.next(input)
  }

  /// Asks the person for their word on passcodes before anything else is done.
  func ask(_ question: PasscodeQuestion) -> Step {
    self.question = question
    return .page(question.page)
  }

  func question(about input: StepInput, _ wanted: [PasscodeQuestion.Wanted]) -> PasscodeQuestion {
    PasscodeQuestion(input: input, wanted: wanted, receiver: receiver ?? "")
  }

  private func filledIn(_ question: PasscodeQuestion) throws -> StepInput {
    try parts.approvals.presence.checkAlways(of: owner)
    var input = question.input
    for wanted in question.wanted {
      let passcode = try parts.passcodes.passcode(of: wanted.account.id, next: false, owner: owner)
      input.values[wanted.field] = .string(passcode.code)
    }
    return input
  }

  /// An empty name means the only account there.
  private func accountOfPasscodes(named name: String) throws -> AccountRecord {
    let accounts = try accounts(makingPasscodesFor: receiver ?? "")
    let meant = name.isEmpty ? accounts : accounts.filter { $0.id == name }
    guard let first = meant.first else {
      throw RPCError.invalidParameter("values").saying("no account here makes passcodes for this issuer")
    }
    guard meant.count == 1 else { throw RPCError.ambiguous.with(["accounts": .strings(meant.map(\.id))]) }
    return first
  }

  /// The accounts of every provider whose passcodes the receiver takes, the preferred ones first.
  func accounts(makingPasscodesFor receiver: String) throws -> [AccountRecord] {
    try parts.passcodeSources.flatMap {
      try $0.accounts(makingPasscodesFor: receiver, user: nil, device: nil, of: owner)
    }
  }
}

extension Login {
  /// Lets the issuer know the user again whose session is the newest, unless this sign-on is to ask for everything.
  ///
  /// Nor does it when the caller names somebody: the session may be that of another user.
  func restoreCookies() throws {
    guard keepsSession, !call.forcesAuthentication, let issuer = client?.issuer.issuer,
      !call.parameters.contains(where: { $0.name == "login_hint" })
    else { return }
    for session in try parts.sessions.list(of: owner) where session.issuer == issuer {
      let content = try parts.sessions.content(of: session, owner: owner)
      guard let cookies = content.flatMap({ KeptSession($0)?.cookies }), !cookies.isEmpty else { continue }
      return transport.cookies.restore(cookies, now: time.now())
    }
  }
}

/// What a person is asked before passcodes of this machine leave it: of which account they are, and who gets them.
struct PasscodeQuestion: Sendable {
  /// A field that wants a passcode of an account.
  struct Wanted: Sendable {
    let field: String
    let account: AccountRecord
  }

  /// What else the step is answered with.
  let input: StepInput
  let wanted: [Wanted]
  /// The issuer, or of a journey its server.
  let receiver: String

  // Of another kind than what hands in a form: whoever names no action has decided nothing.
  static let release = SignOnPage.Action(key: "passcode.release", label: "Hand it over", kind: .flow)
  static let keep = SignOnPage.Action(key: "passcode.keep", label: "Do not hand it over", kind: .flow)

  var page: SignOnPage {
    var page = SignOnPage(title: "Hand over a passcode?", actions: [Self.release, Self.keep])
    page.description = "A passcode of this machine is about to be handed over."
    page.collectors = wanted.map { Self.label("account", "Account", $0.account.shownName) }
    page.collectors.append(Self.label("issuer", "To", receiver))
    return page
  }

  private static func label(_ key: String, _ label: String, _ value: String) -> Collector {
    var collector = Collector(key: key, type: "LabelCollector", label: label)
    collector.value = .string(value)
    return collector
  }
}
