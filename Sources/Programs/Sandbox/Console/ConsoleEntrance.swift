import EventLoop
import HTTPServer
import JSON

/// How one comes into the console: by the administrator's token, or by a ticket that the token was shown for.
@EventLoop
enum ConsoleEntrance {
  nonisolated static let path = "\(ConsoleSection.base)/enter"
  nonisolated static let leavePath = "\(ConsoleSection.base)/leave"

  static let routes: [Route<Endpoint>] = [
    .anyone("GET", ConsolePage.stylePath, style), .console("GET", path, show), .console("POST", path, enter),
    .administrator("POST", "/sandbox/console", makeTicket),
    .anyone("GET", ConsoleSection.base) { _ in .leading(to: ConsoleSection.users.path) },
    .form(leavePath) { (visit, _) throws(Refusal) in
      visit.tenant.guests.leave(visit.session)
      return path
    },
  ]

  private static func style(_ call: Call) -> HTTPResponse {
    .content("text/css; charset=utf-8", PackageResources.console_css)
      .with("X-Content-Type-Options", "nosniff").with("Cache-Control", "no-cache")
  }

  private static func show(_ call: Call) throws(Refusal) -> HTTPResponse {
    guard let word = try call.queryParameters()["ticket"] else { return page(call) }
    guard call.tenant.guests.redeem(word, at: call.tenant.clock.now) else {
      return page(call, "The address was good once, and for two minutes.", status: 403)
    }
    return call.entering()
  }

  private static func enter(_ call: Call) throws(Refusal) -> HTTPResponse {
    guard isSameSecret(ConsoleForm(try call.form()).text("adminToken") ?? "", call.tenant.adminToken) else {
      return page(call, "That is not the token of this sandbox.", status: 403)
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
    let words: HTML = "It stands in the line that pingone-sandbox prints, as adminToken. Without it: "
    return ConsolePage(
      "PingOne sandbox",
      problem.map { .element("p", ["role": "alert"], HTML($0)) },
      form,
      .element("p", words, .code("pingone-sandbox console"), " prints an address that lets you in.")
    ).response(in: call, nil, status: status)
  }

  private static func makeTicket(_ call: Call) -> HTTPResponse {
    let ticket = call.tenant.guests.makeTicket(at: call.tenant.clock.now)
    return .json(201, ["address": .string("\(call.tenant.url)\(path)?ticket=\(ticket.word)")])
  }
}
