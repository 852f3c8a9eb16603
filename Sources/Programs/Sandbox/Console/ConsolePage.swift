import EventLoop
import HTTPServer

/// A page of the console, which needs no script.
@EventLoop
struct ConsolePage {
  let title: String
  /// Seconds until the browser reloads the page.
  var refresh: Int?
  let content: [HTML]

  init(_ title: String, refresh: Int? = nil, _ content: HTML?...) {
    self.title = title
    self.refresh = refresh
    self.content = content.compactMap(\.self)
  }

  /// Builds a page that only shows an error.
  init(_ refusal: ErrorResponse) {
    self.init(
      "The action failed",
      .element("p", HTML(refusal.exactMessage)),
      .element("p", .element("a", ["href": ConsoleSection.base], "Back to the users"))
    )
  }

  static let stylePath = "\(ConsoleSection.base)/style.css"

  /// The page loads only the style sheet, runs no script, and sends forms only to its own origin.
  private static let policy =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  func response(in call: Call, _ session: ConsoleSession?, status: Int = 200) -> HTTPResponse {
    let head: [HTML] = [
      .void("meta", ["charset": "utf-8"]), .element("title", "\(title) – PingOne sandbox"),
      .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
      .void("link", ["rel": "stylesheet", "href": Self.stylePath]),
    ]
    let again = refresh.map { HTML.void("meta", ["http-equiv": "refresh", "content": "\($0)"]) }
    let main = HTML.element("main", ["id": "main"], of: [.element("h1", HTML(title))] + content)
    let skip = HTML.element("a", ["class": "skip", "href": "#main"], "To the content")
    let body = [skip, session.map { header(call, $0) }, main].compactMap(\.self)
    let page = HTML.document(head + [again].compactMap(\.self), body)
    return HTTPResponse.content("text/html; charset=utf-8", page, status: status)
      .with("Content-Security-Policy", Self.policy).with("X-Content-Type-Options", "nosniff")
      // With `no-referrer`, a browser would also hide the origin of a form.
      .with("Referrer-Policy", "same-origin").with("Cross-Origin-Opener-Policy", "same-origin")
      .with("Cache-Control", "no-store")
  }

  private func header(_ call: Call, _ session: ConsoleSession) -> HTML {
    let links = ConsoleSection.all.map { section in
      let isHere = call.request.path.hasPrefix(section.path)
      return HTML.element(
        "li",
        .element("a", ["href": section.path, "aria-current": isHere ? "page" : nil], HTML(section.title))
      )
    }
    let leaving = Visit(call: call, session: session).button("Leave", ConsoleLogin.leavePath)
    return .element(
      "header",
      .element("p", ["class": "name"], "PingOne sandbox"),
      .element("nav", ["aria-label": "Console"], .element("ul", of: links)),
      leaving
    )
  }
}

/// A part of the console with an entry in the navigation.
@EventLoop
struct ConsoleSection {
  let title: String
  let path: String
  let routes: [Route<Endpoint>]

  nonisolated static let base = "/console"

  static let all: [ConsoleSection] = [.users, .devices, .signOns, .codes, .settings, .messages, .clock]

  static let routes = ConsoleLogin.routes + all.flatMap(\.routes)
}
