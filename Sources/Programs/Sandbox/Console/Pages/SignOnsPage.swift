import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// The sign-on requests and their results; the page reloads automatically.
  static let signOns = ConsoleSection(title: "Sign-ons", path: "\(base)/sign-ons", routes: SignOnsPage.routes)
}

@EventLoop
enum SignOnsPage {
  static let seconds = 3
  private static let most = 50

  static let routes: [Route<Endpoint>] =
    [.page("\(ConsoleSection.base)/sign-ons", list)] + WatchedSignOnPage.routes

  private static func list(_ visit: Visit) -> ConsolePage {
    let (tenant, path) = (visit.tenant, ConsoleSection.signOns.path)
    let isStill = visit.call.query("still") != nil
    let rows = tenant.authentications.all.suffix(most).reversed().map { started -> [HTML] in
      let current = tenant.current(started.id) ?? started
      let number = tenant.numberMatching(of: current)?["number"]?.int
      return [
        .link("\(path)/\(started.id.text)", tenant.users[started.user]?.username ?? "nobody"),
        .time(started.createdAt), .state(current.status),
        number.map { .element("strong", "\($0)") } ?? "",
      ]
    }
    let sessions = tenant.families.all.suffix(most).reversed().map { family -> [HTML] in
      [HTML(tenant.users[family.session.user]?.username ?? "nobody"), .time(family.session.signedOnAt)]
    }
    return ConsolePage(
      "Sign-ons",
      refresh: isStill ? nil : seconds,
      .element(
        "p",
        isStill
          ? .link(path, "Reload automatically") : .link("\(path)?still", "Do not reload"),
        " · ",
        .link("\(path)/new", "Ask for a sign-on")
      ),
      .table(["User", "Started", "State", "Number"], rows, none: "There is no sign-on request yet."),
      .section(
        "Signed on",
        .table(["User", "Since"], sessions, none: "No user has tokens of a sign-on.")
      )
    )
  }
}

/// The page of one sign-on, and the form that starts one.
@EventLoop
enum WatchedSignOnPage {
  private nonisolated static let base = "\(ConsoleSection.base)/sign-ons"
  private nonisolated static let one = "\(base)/{deviceAuthentication}"

  static let routes: [Route<Endpoint>] = [
    .page("\(base)/new") { visit in
      ConsolePage("Ask for a sign-on", form(visit, for: nil))
    }, .form(base, start), .page(one, show),
    .form("\(one)/passcode") { (visit, form) throws(ErrorResponse) in
      try await act(visit, .of(["otp": form.text("otp")]), "otp.check")
    },
    .form("\(one)/device") { (visit, form) throws(ErrorResponse) in
      try await act(visit, .of(["device": JSON.of(["id": form.text("device")])]), "device.select")
    },
  ]

  private static func act(_ visit: Visit, _ body: JSON, _ action: String) async throws(ErrorResponse)
    -> String
  {
    let id = try authentication(of: visit).id
    try await visit.call.ask("POST", "\(authentications(visit))/\(id.text)", body, action: action)
    return "\(base)/\(id.text)"
  }

  /// Returns the button that starts a sign-on of a user with the defaults of the policy.
  static func button(_ visit: Visit, for user: PlatformUser) -> HTML {
    visit.form(base, "Ask for a sign-on", class: "button", [.hidden("user", user.id.text)])
  }

  /// Returns the form that starts a sign-on of `user`, or of a user to select.
  static func form(_ visit: Visit, for user: PlatformUser?) -> HTML {
    let users = visit.tenant.users.all.map { (value: $0.id.text, label: $0.username) }
    let whom =
      user.map { HTML.hidden("user", $0.id.text) } ?? .choice("User", "user", users)
    let numbers = [("", "as in the policy"), ("yes", "with a number"), ("no", "without a number")]
    return visit.form(
      base,
      "Ask",
      [
        whom, .choice("Number", "number", numbers),
        .field("Title", "title"), .field("Text", "text"),
      ]
    )
  }

  private static func authentications(_ visit: Visit) -> String {
    "/\(visit.tenant.environment.id.text)/deviceAuthentications"
  }

  private static func start(_ visit: Visit, _ form: ConsoleForm) async throws(ErrorResponse) -> String {
    let variables = JSON.of(["title": form.text("title"), "body": form.text("text")])
    let notification = JSON.of([
      "template": JSON.of(["variables": variables]),
      "numberMatching": form.text("number").map { $0 == "yes" },
    ])
    let body = JSON.of(["user": JSON.of(["id": form.text("user")]), "notification": notification])
    let made = try await visit.call.ask("POST", authentications(visit), body)
    return "\(base)/\(made["id"]?.string ?? "")"
  }

  private static func authentication(of visit: Visit) throws(ErrorResponse) -> DeviceAuthentication {
    let id = visit.call.id("deviceAuthentication", of: DeviceAuthentication.self)
    guard let authentication = visit.tenant.current(id) else { throw .notFound }
    return authentication
  }

  private static func show(_ visit: Visit) throws(ErrorResponse) -> ConsolePage {
    let (tenant, authentication) = (visit.tenant, try authentication(of: visit))
    let number = tenant.numberMatching(of: authentication)?["number"]?.int
    let device = authentication.selected.flatMap { tenant.devices[$0] }
    let user = tenant.users[authentication.user]
    return ConsolePage(
      "Sign-on of \(user?.username ?? "nobody")",
      refresh: authentication.status == .pushConfirmationRequired ? SignOnsPage.seconds : nil,
      .element("p", ["role": "status"], .state(authentication.status)),
      number.map {
        .element("p", "The sign-on page shows the number ", .element("strong", ["class": "number"], "\($0)"))
      },
      .facts([
        ("Title", HTML(authentication.title)), ("Text", HTML(authentication.body)),
        ("Device", HTML(device.map { tenant.title(of: $0) } ?? "none")),
        ("Started", .time(authentication.createdAt)), ("Changed", .time(authentication.updatedAt)),
        ("Reason", HTML(authentication.failure?.message ?? "none")), ("Id", .code(authentication.id.text)),
      ]),
      nextStep(visit, authentication),
      .element("p", .link(base, "All sign-ons"))
    )
  }

  /// Returns the form for the user's next step on the sign-on page.
  private static func nextStep(_ visit: Visit, _ authentication: DeviceAuthentication) -> HTML? {
    let path = "\(base)/\(authentication.id.text)"
    switch authentication.status {
    case .otpRequired:
      return visit.form("\(path)/passcode", "Check", [.field("Passcode", "otp", isRequired: true)])
    case .deviceSelectionRequired, .pushConfirmationTimedOut:
      let devices = visit.tenant.usableDevices(for: authentication)
      let choices = devices.map { (value: $0.id.text, label: visit.tenant.title(of: $0)) }
      return visit.form("\(path)/device", "Ask this device", [.choice("Device", "device", choices)])
    case .pushConfirmationRequired, .completed, .failed: return nil
    }
  }
}
