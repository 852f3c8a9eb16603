import EventLoop
import HTTPServer
import JSON

extension ConsoleSection {
  /// The clock that decides when things expire, and the requested faults.
  static let clock = ConsoleSection(
    title: "Clock and faults",
    path: "\(base)/clock",
    routes: ClockPage.routes
  )
}

@EventLoop
enum ClockPage {
  private nonisolated static let base = "\(ConsoleSection.base)/clock"
  private nonisolated static let faults = "\(base)/faults"
  private static let units = [("1", "seconds"), ("60", "minutes"), ("3600", "hours"), ("86400", "days")]

  static let routes: [Route<Endpoint>] = [
    .page(base, show),
    .form(base) { (visit, form) throws(ErrorResponse) in
      let (count, unit) = (try form.int("count") ?? 0, try form.int("unit") ?? 1)
      let (seconds, isTooMuch) = count.multipliedReportingOverflow(by: unit)
      guard !isTooMuch, seconds.magnitude < 1 << 40 else {
        throw .invalid("count", "would move the clock too far")
      }
      try await visit.call.ask("POST", "/sandbox/clock", ["lead": .int(visit.tenant.clock.lead + seconds)])
      return base
    },
    .form("\(base)/reset") { (visit, _) throws(ErrorResponse) in
      try await visit.call.ask("POST", "/sandbox/clock", ["lead": 0, "skew": 0])
      return base
    },
    .form("\(base)/skew") { (visit, form) throws(ErrorResponse) in
      try await visit.call.ask("POST", "/sandbox/clock", .of(["skew": try form.int("skew")]))
      return base
    }, .form(faults, addFault),
    .form("\(faults)/clear") { (visit, _) throws(ErrorResponse) in
      try await visit.call.ask("DELETE", "/sandbox/faults")
      return base
    },
  ]

  private static let effects: [(value: String, label: String, member: (String, JSON))] = [
    ("500", "status 500", ("status", 500)), ("503", "status 503", ("status", 503)),
    ("429", "status 429", ("status", 429)), ("delay", "five seconds of delay", ("delayMs", 5000)),
    ("drop", "the connection is closed", ("dropConnection", true)),
    ("lose", "executed, but the connection is closed", ("loseReply", true)),
    ("body", "a response with a meaningless body", ("garbage", "body")),
    ("bytes", "bytes that are not HTTP", ("garbage", "connection")),
  ]

  private static func addFault(_ visit: Visit, _ form: ConsoleForm) async throws(ErrorResponse) -> String {
    guard let effect = effects.first(where: { $0.value == form.text("effect") }) else {
      throw .invalid("effect", "must be one of the list")
    }
    let body = JSON.of(
      ["path": form.text("path"), "count": try form.int("count")],
      adding: JSONObject([effect.member])
    )
    try await visit.call.ask("POST", "/sandbox/faults", body)
    return base
  }

  private static func show(_ visit: Visit) -> ConsolePage {
    let clock = visit.tenant.clock
    let words = clock.lead < 0 ? "\(-clock.lead) seconds behind" : "\(clock.lead) seconds ahead"
    return ConsolePage(
      "Clock and faults",
      .section(
        "Clock",
        .element(
          "p",
          "Keys, codes, pushes, locks and tokens expire by a clock that is ",
          .element("strong", HTML(words)),
          "."
        ),
        visit.form(
          base,
          "Move",
          [
            .field("By", "count", type: "number", value: "1", isRequired: true),
            .choice("Unit", "unit", units, chosen: "3600"),
          ]
        ),
        visit.form(
          "\(base)/skew",
          "Set",
          [
            .field("Clock skew of passcodes, in seconds", "skew", type: "number", value: "\(clock.skew)")
          ]
        ),
        visit.button("Back to the real time", "\(base)/reset")
      ),
      .section("Faults", faultTable(visit), faultForm(visit))
    )
  }

  private static func faultTable(_ visit: Visit) -> HTML {
    let all = visit.tenant.faults.all
    let rows = all.map { fault -> [HTML] in
      let (name, value) = fault.effect.member
      return [
        .code(fault.path), HTML(fault.method ?? "any"), .code("\(name) \(value.text)"),
        HTML("\(fault.count)"),
      ]
    }
    return .element(
      "div",
      .table(["Path", "Method", "Effect", "Left"], rows, none: "No faults are pending."),
      all.isEmpty ? "" : visit.button("Forget all", "\(faults)/clear")
    )
  }

  private static func faultForm(_ visit: Visit) -> HTML {
    visit.form(
      faults,
      "Add fault",
      [
        .field("Requests to paths that begin with", "path", value: "/device", isRequired: true),
        .field("Times", "count", type: "number", value: "1"),
        .choice("Effect", "effect", effects.map { ($0.value, $0.label) }),
      ]
    )
  }
}
