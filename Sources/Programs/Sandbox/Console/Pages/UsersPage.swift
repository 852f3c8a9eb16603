import JSON

extension ConsoleSection {
  /// Who can be signed on.
  static let users = ConsoleSection(
    title: "Users",
    path: "\(base)/users",
    routes: [
      .page("\(base)/users") { visit throws(Refusal) in list(visit) },
      .form("\(base)/users") { (visit, form) throws(Refusal) in
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
        HTML(UserPage.state(of: user, visit.tenant)),
      ]
    }
    return ConsolePage(
      "Users",
      .table(["User", "Devices", "State"], rows, none: "There is no user."),
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
