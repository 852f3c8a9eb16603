import EventLoop
import HTTPServer
import JSON
import Time

/// Login to the console: with the administrator's token, or with a ticket that was created with this token.
@EventLoop
enum ConsoleLogin {
  nonisolated static let path = "\(ConsoleSection.base)/enter"
  nonisolated static let leavePath = "\(ConsoleSection.base)/leave"

  static let routes: [Route<Endpoint>] = [
    .anyone("GET", ConsolePage.stylePath, style), .console("GET", path, show), .console("POST", path, enter),
    .administrator("POST", "/sandbox/console", makeTicket),
    .anyone("GET", ConsoleSection.base) { _ in .leading(to: ConsoleSection.users.path) },
    .form(leavePath) { (visit, _) throws(ErrorResponse) in
      visit.tenant.guests.leave(visit.session)
      return path
    },
  ]

  private static func style(_ call: Call) -> HTTPResponse {
    .content("text/css; charset=utf-8", PackageResources.console_css)
      .with("X-Content-Type-Options", "nosniff").with("Cache-Control", "no-cache")
  }

  private static func show(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard let word = try call.queryParameters()["ticket"] else { return page(call) }
    guard call.tenant.guests.redeem(word, at: call.tenant.clock.now) else {
      return page(call, "This URL was valid once and for two minutes.", status: 403)
    }
    return call.entering()
  }

  private static func enter(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard isSameSecret(ConsoleForm(try call.form()).text("adminToken") ?? "", call.tenant.adminToken) else {
      return page(call, "This is not the token of this sandbox.", status: 403)
    }
    return call.entering()
  }

  private static func page(_ call: Call, _ problem: String? = nil, status: Int = 200) -> HTTPResponse {
    let form = HTML.element(
      "form",
      ["method": "post", "action": path],
      .field("Administrator's token", "adminToken", type: "password", isRequired: true),
      .element("button", ["type": "submit"], "Enter")
    )
    let words: HTML = "The token is adminToken in the line that pingone-sandbox prints. Without the token: "
    return ConsolePage(
      "PingOne sandbox",
      problem.map { .element("p", ["role": "alert"], HTML($0)) },
      form,
      .element("p", words, .code("pingone-sandbox console"), " prints a URL that logs you in.")
    ).response(in: call, nil, status: status)
  }

  private static func makeTicket(_ call: Call) -> HTTPResponse {
    let ticket = call.tenant.guests.makeTicket(at: call.tenant.clock.now)
    return .json(201, ["address": .string("\(call.tenant.url)\(path)?ticket=\(ticket.word)")])
  }
}

/// A browser that has logged in to the console, identified by a cookie.
struct ConsoleSession: Stored {
  let id = ID<ConsoleSession>.random()
  /// Value of the cookie.
  let cookie = randomText(43, of: tokenAlphabet)
  /// Token in every form of the console, so that pages of other origins cannot submit a form.
  let formToken = randomText(43, of: tokenAlphabet)
  let end: Timestamp

  static let maximumCount = 100
  private static let seconds = 12 * 3600

  fileprivate init(at now: Timestamp) { end = now.adding(seconds: Self.seconds) }
}

/// A word that replaces the token for one login.
struct ConsoleTicket: Stored {
  let id = ID<ConsoleTicket>.random()
  let word = randomText(43, of: tokenAlphabet)
  fileprivate let end: Timestamp

  static let maximumCount = 20
  private static let seconds = 120

  fileprivate init(at now: Timestamp) { end = now.adding(seconds: Self.seconds) }
}

/// Sessions and tickets of the console.
///
/// They expire by the real clock, so moving the sandbox's clock does not end them.
struct ConsoleSessions {
  private var sessions = RecordStore<ConsoleSession>()
  private var tickets = RecordStore<ConsoleTicket>()

  func session(_ cookie: String?, at now: Timestamp) -> ConsoleSession? {
    guard let cookie else { return nil }
    return sessions.first { isSameSecret(cookie, $0.cookie) && now < $0.end }
  }

  mutating func enter(at now: Timestamp) -> ConsoleSession {
    let session = ConsoleSession(at: now)
    sessions.put(session)
    return session
  }

  mutating func leave(_ session: ConsoleSession) { sessions[session.id] = nil }

  mutating func makeTicket(at now: Timestamp) -> ConsoleTicket {
    let ticket = ConsoleTicket(at: now)
    tickets.put(ticket)
    return ticket
  }

  /// Returns true if the word is an unexpired ticket; a ticket can be redeemed once.
  mutating func redeem(_ word: String, at now: Timestamp) -> Bool {
    guard let ticket = tickets.first(where: { isSameSecret(word, $0.word) }) else { return false }
    tickets[ticket.id] = nil
    return now < ticket.end
  }
}
