import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// The users of the environment.
  static let users = ConsoleSection(
    title: "Users",
    path: "\(base)/users",
    routes: [
      .page("\(base)/users") { visit throws(ErrorResponse) in list(visit) },
      .form("\(base)/users") { (visit, form) throws(ErrorResponse) in
        let password = form.text("password").map { JSON.of(["value": $0]) }
        let body = JSON.of([
          "username": form.text("username"), "password": password, "mfaEnabled": form.isTicked("mfa"),
        ])
        let made = try await visit.ask("POST", "/users", body)
        return "\(base)/users/\(made["id"]?.string ?? "")"
      },
    ] + UserPage.routes
  )

  private static func list(_ visit: Visit) -> ConsolePage {
    let rows = visit.tenant.users.all.map { user -> [HTML] in
      let devices = visit.tenant.activeDevices(of: user.id)
      let names = devices.map { visit.tenant.title(of: $0) }.joined(separator: ", ")
      return [
        .link("\(base)/users/\(user.id.text)", user.username), HTML(names.isEmpty ? "none" : names),
        user.password.map { .code($0) } ?? "none", HTML(UserPage.state(of: user, visit.tenant)),
        WatchedSignOnPage.button(visit, for: user),
      ]
    }
    return ConsolePage(
      "Users",
      .table(["User", "Devices", "Password", "State", ""], rows, none: "There are no users."),
      .section(
        "Add a user",
        visit.form(
          "\(base)/users",
          "Add",
          [
            .field("User name", "username", isRequired: true), .field("Password", "password"),
            .box("With multi-factor authentication", "mfa", isTicked: true),
          ]
        )
      )
    )
  }
}

/// One user: their devices and keys, and the administrator's actions.
@EventLoop
enum UserPage {
  private nonisolated static let path = "\(ConsoleSection.base)/users/{user}"

  static let routes: [Route<Endpoint>] = [
    .page(path, show), .form("\(path)/keys", makeKey),
    .form("\(path)/unlock") { (visit, _) throws(ErrorResponse) in
      try await visit.ask("POST", address(try visit.call.user()), [:], action: "account.unlock")
      return try here(visit)
    },
    .form("\(path)/mfa") { (visit, _) throws(ErrorResponse) in
      let user = try visit.call.user()
      try await visit.ask("PUT", "\(address(user))/mfaEnabled", ["mfaEnabled": .bool(!user.mfaEnabled)])
      return try here(visit)
    },
    .page("\(path)/delete") { visit throws(ErrorResponse) in
      let (name, here) = (try visit.call.user().username, try here(visit))
      return visit.confirmation(name, "\(here)/delete", back: here)
    },
    .form("\(path)/delete") { (visit, _) throws(ErrorResponse) in
      try await visit.ask("DELETE", address(try visit.call.user()))
      return ConsoleSection.users.path
    },
  ]

  static func state(of user: PlatformUser, _ tenant: Tenant) -> String {
    if tenant.lock(of: user) != nil { return "locked" }
    return user.mfaEnabled ? "ready" : "without MFA"
  }

  private static func address(_ user: PlatformUser) -> String { "/users/\(user.id.text)" }

  private static func here(_ visit: Visit) throws(ErrorResponse) -> String {
    "\(ConsoleSection.users.path)/\(try visit.call.user().id.text)"
  }

  private static func makeKey(_ visit: Visit, _ form: ConsoleForm) async throws(ErrorResponse) -> String {
    let body = JSON.of(["region": form.text("region")])
    try await visit.ask("POST", "\(address(try visit.call.user()))/pairingKeys", body)
    return try here(visit)
  }

  private static func show(_ visit: Visit) throws(ErrorResponse) -> ConsolePage {
    let (tenant, user, here) = (visit.tenant, try visit.call.user(), try here(visit))
    let devices = tenant.devices.all(by: user.id.text)
    let isLocked = tenant.lock(of: user) != nil
    return ConsolePage(
      user.username,
      .facts([
        ("Password", user.password.map { .code($0) } ?? "none"), ("E-mail", HTML(user.email ?? "none")),
        ("State", HTML(state(of: user, tenant))), ("Id", .code(user.id.text)),
      ]),
      .several(
        isLocked ? visit.button("Unlock", "\(here)/unlock") : nil,
        visit.button(user.mfaEnabled ? "Turn MFA off" : "Turn MFA on", "\(here)/mfa"),
        .danger("\(here)/delete", "Delete the user")
      ),
      .section("Devices", DevicesPage.table(of: devices, visit)),
      .section("Pairing keys", keys(of: user, visit), keyForm(visit, here)),
      .section("Ask for a sign-on", WatchedSignOnPage.form(visit, for: user))
    )
  }

  private static func keyForm(_ visit: Visit, _ here: String) -> HTML {
    let regions = PlatformGeography.allCases.map { (value: $0.regionCode, label: $0.rawValue) }
    return visit.form("\(here)/keys", "Make a key", [.choice("Geography", "region", regions)])
  }

  private static func keys(of user: PlatformUser, _ visit: Visit) -> HTML? {
    let keys = visit.tenant.validPairingKeys(of: user.id)
    guard !keys.isEmpty else { return nil }
    let pictures = keys.reversed().map { key in
      HTML.element(
        "div",
        .qrCode(key.code, of: "a pairing key"),
        .element("p", "valid until ", .time(visit.tenant.clock.instant(of: key.deadline)))
      )
    }
    return .element("div", ["class": "codes"], of: pictures)
  }
}
