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

/// One sign-on in progress: its owner, the call that started it, and the objects that its flow uses.
@EventLoop
final class Login {
  /// Maximum duration of a sign-on.
  static let lifetime = Duration.seconds(600)

  let id: String
  let owner: uid_t
  let call: LoginStart
  let parts: SignOnParts
  let configuration: Configuration
  let transport: SignOnTransport
  /// The issuer of the tokens; `nil` for a journey that ends without tokens.
  let client: OIDCClient?
  let mutex = AsyncMutex()
  let time: TimeSource
  private let begun: Duration

  /// The flow that processes the steps.
  var flow: (any SignOnFlow)?
  /// The authorization request, which the response and the tokens must match; `nil` before it is made.
  private(set) var request: AuthorizationRequest?
  /// The authorization code; if its exchange failed, every further answer retries the exchange.
  private(set) var code: String?
  /// The question whether to send passcodes, until the user answers it.
  private(set) var question: PasscodeQuestion?
  /// The documents that the sign-on keeps between two calls.
  let documents: KeptDocuments
  /// Number of calls that requested or answered a step.
  var steps = 0
  /// True if the sign-on has ended, even while an input is being processed.
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
    documents = KeptDocuments(parts.core.memory, owner: owner)
    begun = time.uptime()
  }

  /// Seconds until the sign-on expires.
  var secondsLeft: Int { max(0, Int((begun + Self.lifetime - time.uptime()).components.seconds)) }

  /// True if the current settings keep sessions; they can change during the sign-on.
  var keepsSession: Bool { parts.core.settings.current.keepsSession }

  /// Ends the sign-on.
  ///
  /// Interrupts a waiting call; requests in flight have no further effect.
  func end() {
    isOver = true
    transport.close()
    documents.close()
    flow?.end()
    flow = nil
    mutex.interrupt()
  }

  /// The receiver of the answers: the issuer or, for a journey, its server.
  var receiver: String? { call.method == .journey ? transport.origin.text : client?.issuer.issuer }

  /// True if the issuer may offer a pairing: there is a platform, and the sign-on is not for device
  /// management.
  var offersPairing: Bool { configuration.hasPlatform && call.devices == nil }

  /// The scopes that an issuer may have refused: those of the device changes or, without any, all scopes.
  var refusableScopes: [String] {
    call.devices?.scopes ?? client?.scope.split(separator: " ").map(String.init) ?? []
  }

  /// Returns the issuer's client; throws if the sign-on has none.
  func requireClient() throws -> OIDCClient {
    guard let client else { throw RPCError.notConfigured }
    return client
  }

  /// Creates an authorization request.
  ///
  /// With `pairs`, and if `offersPairing` is true, it has a payload that lets the issuer offer a pairing.
  ///
  /// If the call forces authentication, the issuer must authenticate the user again. Pass `isAnew: false` if
  /// the user has just authenticated.
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
  /// Completes a `pi.flow` flow: exchanges the code of its authorization response for tokens.
  func tokens(for response: JSON) async throws -> Step {
    guard let request, let members = response.object else { throw SignOnFailure.noCode }
    let client = try requireClient()
    let code = try request.code(in: members, from: client.issuer)
    return .done(try await exchange(code))
  }

  /// Exchanges the authorization code for tokens; keeps the code, so that the next call can retry.
  func exchange(_ code: String) async throws -> Tokens {
    guard let request else { throw SignOnFailure.noCode }
    self.code = code
    do { return try await requireClient().exchange(code, of: request) } catch let error as OAuthError {
      throw SignOnFailure.refused(error)
    }
  }
}

extension Login {
  /// Answers the step.
  ///
  /// If the answer requests passcodes of this machine, the user must confirm first.
  ///
  /// The client requests a passcode by the value `{"passcode": <account>}` of a field, because pages do not
  /// identify their passcode field reliably. A passcode goes only to the issuer of its account.
  func answer(_ input: StepInput, _ flow: any SignOnFlow) async throws -> Step {
    if let question {
      switch input.action {
      case PasscodeQuestion.release.key:
        let step = try await flow.next(try filledIn(question))
        try dropQuestion()
        return step
      case PasscodeQuestion.keep.key:
        try dropQuestion()
        return .page(try page())
      case nil where input.values.isEmpty: return .page(question.page)
      default: try dropQuestion()
      }
    }
    let wanted = try input.values.members.compactMap { member in
      try OwnPasscode(value: member.value).map {
        PasscodeQuestion.Wanted(field: member.name, account: try accountOfPasscodes(named: $0.account))
      }
    }
    guard wanted.isEmpty else { return try ask(question(about: input, wanted)) }
    return try await flow.next(input)
  }

  /// Returns a passcode question as the next step; `answer` then expects the user's decision first.
  func ask(_ question: PasscodeQuestion) throws -> Step {
    try documents.keep(.input, JSON.object(question.input.values).serialized)
    self.question = question
    self.question?.input.values = [:]
    return .page(question.page)
  }

  private func dropQuestion() throws {
    question = nil
    try documents.keep(.input, nil)
  }

  /// Keeps the page of a flow's step, which is shown again if the user refuses to send passcodes.
  ///
  /// Also counts the cookies, which the sign-on keeps until the next step.
  func keepPage(of step: Step) throws -> Step {
    switch step {
    case .page(let page) where question == nil: try documents.keep(.page, page.serialized)
    case .wrong(let page): try documents.keep(.page, page.serialized)
    case .page: break
    case .failure, .done, .managed: return step
    }
    try documents.count(.cookies, transport.cookies.size)
    return step
  }

  private func page() throws -> SignOnPage {
    guard let page = documents.document(.page) else { throw RPCError.conflict }
    return try SignOnPage(reading: page)
  }

  func question(about input: StepInput, _ wanted: [PasscodeQuestion.Wanted]) -> PasscodeQuestion {
    PasscodeQuestion(input: input, wanted: wanted, receiver: receiver ?? "")
  }

  private func filledIn(_ question: PasscodeQuestion) throws -> StepInput {
    try parts.approvals.presence.checkAlways(of: owner)
    var input = question.input
    input.values = documents.document(.input)?.object ?? [:]
    for wanted in question.wanted {
      let passcode = try parts.passcodes.passcode(of: wanted.account.id, next: false, owner: owner)
      input.values[wanted.field] = .string(passcode.code)
    }
    return input
  }

  /// Returns the account with this identifier; an empty name means the only account for the receiver.
  private func accountOfPasscodes(named name: String) throws -> AccountRecord {
    let accounts = try accounts(makingPasscodesFor: receiver ?? "")
    let meant = name.isEmpty ? accounts : accounts.filter { $0.id == name }
    guard let first = meant.first else {
      throw RPCError.invalidParameter("values").withMessage("no account here makes passcodes for this issuer")
    }
    guard meant.count == 1 else { throw RPCError.ambiguous.with(["accounts": .strings(meant.map(\.id))]) }
    return first
  }

  /// Returns the accounts with passcodes for this receiver, in the providers' order of preference.
  func accounts(makingPasscodesFor receiver: String) throws -> [AccountRecord] {
    try parts.passcodeSources.flatMap {
      try $0.accounts(makingPasscodesFor: receiver, user: nil, device: nil, of: owner)
    }
  }
}

extension Login {
  /// Restores the cookies of the newest session at the issuer, so that the issuer recognizes the user.
  ///
  /// Does nothing for a forced authentication or with `login_hint`, because the session may belong to another
  /// user.
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

/// The question whether to send passcodes; it shows their accounts and their receiver.
struct PasscodeQuestion: Sendable {
  /// A field that requires a passcode of an account.
  struct Wanted: Sendable {
    let field: String
    let account: AccountRecord
  }

  /// The user's input, in which passcodes replace the requests for them after the user agrees.
  ///
  /// While the question waits, the values are in the documents of the sign-on.
  var input: StepInput
  let wanted: [Wanted]
  /// The issuer or, for a journey, its server.
  let receiver: String

  // The kind is not `submit`, so that an input without an action chooses none of these.
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
