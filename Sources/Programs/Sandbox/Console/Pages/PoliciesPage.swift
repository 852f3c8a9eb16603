import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// What users need, and may.
  static let policies = ConsoleSection(
    title: "Policies",
    path: "\(base)/policies",
    routes: PoliciesPage.routes
  )
}

@EventLoop
enum PoliciesPage {
  private nonisolated static let base = "\(ConsoleSection.base)/policies"

  static let routes: [Route<Endpoint>] = [
    .page(base, show),
    .form("\(base)/numbers") { (visit, form) throws(Refusal) in
      let type = JSON.of(["type": form.text("type")])
      let body = JSON.of(["mobile": JSON.of(["push": JSON.of(["numberMatching": type])])])
      try await visit.ask("PUT", "/applications/\(visit.tenant.application.id.text)", body)
      return base
    }, .form("\(base)/{policy}", change),
  ]

  private static func show(_ visit: Visit) -> ConsolePage {
    let tenant = visit.tenant
    let types: [MobileSettings.NumberMatching] = [.enterManually, .selectNumber]
    let numbers = visit.form(
      "\(base)/numbers",
      "Save",
      [
        .choice(
          "A number to match is",
          "type",
          types.map { ($0.rawValue, $0 == .enterManually ? "typed" : "selected of three") },
          chosen: tenant.application.settings.numberMatching.rawValue
        )
      ]
    )
    let policies = tenant.policies.all.map { policy in
      let note: HTML = policy.id == tenant.policy.id ? "The one that counts where none is named." : ""
      return HTML.section(policy.name, .element("p", note), form(visit, policy))
    }
    let page = policies + [.section("Application \(tenant.application.name)", numbers)]
    return ConsolePage("Policies", .element("div", of: page))
  }

  private static func form(_ visit: Visit, _ policy: Policy) -> HTML {
    let rules = policy.rules(for: visit.tenant.application.id)
    return visit.form(
      "\(base)/\(policy.id.text)",
      "Save",
      [
        .box("Pushes", "push", isTicked: rules.isPushEnabled),
        .box("Pushes with a number to match", "number", isTicked: rules.numberMatching),
        .box("Passcodes of the app", "passcodes", isTicked: rules.isPasscodeEnabled),
        .box("Authenticator apps (TOTP)", "totp", isTicked: policy.totp.isEnabled),
        .box("A paired device stands in for its user", "standIn", isTicked: rules.deviceAuthorization),
        .field("Seconds to answer a push", "timeout", type: "number", value: "\(rules.pushTimeout.seconds)"),
        .choice(
          "Which device is asked",
          "selection",
          Policy.DeviceSelection.allCases.map { ($0.rawValue, $0.rawValue) },
          chosen: policy.deviceSelection.rawValue
        ),
      ]
    )
  }

  private static func change(_ visit: Visit, _ form: ConsoleForm) async throws(Refusal) -> String {
    func enabled(_ name: String) -> JSON { ["enabled": .bool(form.isTicked(name))] }
    let timeout = try form.int("timeout").map { JSON.of(["duration": $0, "timeUnit": "SECONDS"]) }
    let push: JSON = ["enabled": .bool(form.isTicked("push")), "numberMatching": enabled("number")]
    let rules = JSON.of([
      "push": push, "otp": enabled("passcodes"), "deviceAuthorization": enabled("standIn"),
      "pushTimeout": timeout,
    ])
    let body = JSON.of([
      "mobile": JSON.of(["applications": [rules]]), "totp": enabled("totp"),
      "authentication": JSON.of(["deviceSelection": form.text("selection")]),
    ])
    let policy = try visit.call.policy()
    try await visit.ask("PUT", "/deviceAuthenticationPolicies/\(policy.id.text)", body)
    return base
  }
}
