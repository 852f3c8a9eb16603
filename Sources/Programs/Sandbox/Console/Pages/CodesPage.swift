import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// Authentication codes, as a web page would show them.
  static let codes = ConsoleSection(title: "Codes", path: "\(base)/codes", routes: CodesPage.routes)
}

@EventLoop
enum CodesPage {
  private nonisolated static let base = "\(ConsoleSection.base)/codes"
  private static let most = 20

  static let routes: [Route<Endpoint>] = [
    .page(base, show),
    .form(base) { (visit, form) throws(ErrorResponse) in
      let lifeTime = try form.int("seconds").map { JSON.of(["duration": $0, "timeUnit": "SECONDS"]) }
      let body = JSON.of([
        "application": JSON.of(["id": visit.tenant.application.id]), "lifeTime": lifeTime,
        "userApproval": form.isTicked("approval") ? "REQUIRED" : "NOT_REQUIRED",
      ])
      try await visit.call.ask("POST", "/\(visit.tenant.environment.id.text)/authenticationCodes", body)
      return base
    },
  ]

  private static func show(_ visit: Visit) -> ConsolePage {
    let tenant = visit.tenant
    let codes = tenant.authenticationCodes.all.suffix(most).reversed()
    let pictures = codes.filter { tenant.status(of: $0) == .unclaimed }.map { code in
      HTML.element(
        "div",
        .qrCode(code.uri(in: tenant), of: "an authentication code"),
        .element(
          "p",
          .element("strong", HTML(code.code)),
          " until ",
          .time(tenant.clock.instant(of: code.deadline))
        )
      )
    }
    let rows = codes.map { code -> [HTML] in
      [
        .code(code.code), .state(tenant.status(of: code)), .time(code.createdAt),
        HTML(code.user.flatMap { tenant.users[$0]?.username } ?? ""),
      ]
    }
    return ConsolePage(
      "Authentication codes",
      visit.form(
        base,
        "Make a code",
        [
          .field("Lifetime in seconds", "seconds", type: "number", value: "300"),
          .box("The user has to approve on the device", "approval", isTicked: true),
        ]
      ),
      pictures.isEmpty ? nil : .element("div", ["class": "codes"], of: pictures),
      .section(
        "Recent codes",
        .table(["Code", "State", "Made", "User"], rows, none: "No code was made yet.")
      )
    )
  }
}
