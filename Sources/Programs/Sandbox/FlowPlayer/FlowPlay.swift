import EventLoop
import HTTPServer
import JSON
import Time

@EventLoop
final class FlowPlay {
  let tenant: Tenant
  let flow: Flow
  let id = ID<FlowPlay>.random()
  var parameters: [String: String] = [:]
  private(set) var deadline: EndTime
  /// The authorization request of an OIDC client, `nil` for a journey.
  let authorization: CheckedAuthorizationRequest?

  /// Maximum number of invisible pages that are followed in a row.
  private static let maximumHops = 64

  private(set) var answers: JSONObject = [:]
  /// All values that the client has sent; a later value for a key replaces an earlier one.
  private(set) var given: JSONObject = [:]
  private(set) var event = ""
  private(set) var action = ""
  private(set) var page: FlowPage?
  private(set) var rounds = 0
  private(set) var pageDeadline: EndTime?

  var variables: JSONObject = [:]
  var user: ID<PlatformUser>?
  /// Methods by which the user has authenticated, RFC 8176.
  var methods: [String] = []
  let session: BrowserSession?
  /// Identifier of the session with which the play began, otherwise of the session that it creates.
  let sessionID: ID<BrowserSession>
  var completed: BrowserSession?
  /// The sign-on policy of the play, with the remaining steps.
  var policy: SignOnPolicy?
  var code: OneTimeCode?
  /// An additional message on a page in a browser, and the action of a form that is sent without a button.
  var message: String?
  var firstButton = StatusPage.waiting
  var authentication: ID<DeviceAuthentication>?
  var pairingKey: ID<IssuedPairingKey>?
  /// The factors that AM enrols, and the message to which AM expects a response.
  var enrolment: Enrolment?
  var pushRecord: ID<SentMessage>?
  /// The challenge that AM requires a device key to sign.
  var keyChallenge: String?
  /// The token that the browser brings back from an identity provider, and the button that led there.
  var continuation: (token: String, button: String)?
  /// The password policies that the page's values violate, by input name; they are reported once.
  var failedPolicies: [String: [JSON]] = [:]
  /// Identifier that resumes a suspended journey.
  var suspendedID: String?
  /// Identifiers that the protocol renews with each page.
  var turn = FlowTurn()
  var languages: [String] = []

  init(
    _ flow: Flow,
    of tenant: Tenant,
    authorization: CheckedAuthorizationRequest? = nil,
    session: BrowserSession? = nil
  ) {
    self.tenant = tenant
    self.flow = flow
    self.authorization = authorization
    self.session = session
    sessionID = session?.id ?? .random()
    parameters["login_hint"] = authorization?.loginHint
    parameters["state"] = authorization?.target.state
    parameters["nonce"] = authorization?.nonce
    deadline = tenant.clock.deadline(in: flow.seconds)
  }

  /// True if the lifetime of the play or of the page has expired.
  var isOver: Bool {
    tenant.clock.isOver(deadline) || (pageDeadline.map { tenant.clock.isOver($0) } ?? false)
  }

  /// Restarts the lifetime of the play.
  func extend() { deadline = tenant.clock.deadline(in: flow.seconds) }

  func take(event: String, action: String = "", _ answers: JSONObject = [:]) async -> HTTPResponse {
    self.event = event
    self.action = action
    self.answers = answers
    for member in answers.members { given[member.name] = member.value }
    rounds += 1
    return await follow(rules)
  }

  private var rules: [FlowRule] { flow.always + (page?.rules ?? []) }

  /// Follows a rule that now applies, for example after a decision on a push; otherwise shows the page again.
  func look() async -> HTTPResponse {
    (event, action, answers) = ("read", "", [:])
    return rules.contains { $0.fits(self) } ? await follow(rules) : redraw()
  }

  func redraw(saying message: String? = nil) -> HTTPResponse {
    self.message = message
    defer { self.message = nil }
    do { return try page?.rendering?(self) ?? ErrorResponse.unexpected.response } catch {
      return error.response
    }
  }

  func poll() async -> HTTPResponse {
    rounds += 1
    return await follow(page?.challenge ?? [])
  }

  private func follow(_ rules: [FlowRule], hops: Int = 0) async -> HTTPResponse {
    for rule in rules where rule.fits(self) {
      do {
        for effect in rule.effects { try effect.apply(self) }
        switch try rule.outcome.move(self) {
        case .page(let name): return await show(name, hops: hops)
        case .response(let response): return response
        }
      } catch { return flow.kind.refusal(self, error) }
    }
    return flow.kind.refusal(self, .invalidRequest("No rule of the flow applies here."))
  }

  private func show(_ name: String, hops: Int) async -> HTTPResponse {
    guard let next = flow.pages[name], hops < Self.maximumHops else {
      return flow.kind.refusal(self, .unexpected)
    }
    guard let rendering = next.rendering else { return await follow(next.rules, hops: hops + 1) }
    if next.name != page?.name { rounds = 0 }
    page = next
    pageDeadline = next.seconds.map { tenant.clock.deadline(in: $0) }
    if next.delay > 0 { try? await EventLoop.sleep(for: .milliseconds(Int64(next.delay))) }
    flow.kind.turn(self)
    do {
      var response = try rendering(self)
      for cookie in next.cookies.json(in: self).array ?? [] {
        response.headers.add("Set-Cookie", cookie.string ?? "")
      }
      for header in next.headers.object(in: self).members {
        response.headers.add(header.name, header.value.string ?? "")
      }
      if next.isLast { end() }
      return response
    } catch { return flow.kind.refusal(self, error) }
  }

  /// Returns the translation that fits the user's languages best.
  func language(among texts: JSONObject) -> String {
    let found = languages.lazy.compactMap { wanted in
      texts[wanted] ?? texts[String(wanted.prefix { $0 != "-" })]
    }.first
    return (found ?? texts["en"])?.string ?? ""
  }
}

struct FlowTurn: Sendable {
  var node = ""
  var token = ""
  var callbacks: [JSON] = []
}

extension FlowPlay: Stored {
  nonisolated static let maximumCount = 1000

  /// An expired play is kept for another lifetime, so that its client gets an error about the expiry.
  private var forgetting: EndTime { EndTime(instant: deadline.instant.adding(seconds: flow.seconds)) }

  func begin() async -> HTTPResponse {
    tenant.plays.removeAll { tenant.clock.isOver($0.forgetting) }
    tenant.plays.put(self)
    return await follow(flow.start)
  }

  func end() { tenant.plays[id] = nil }
}
