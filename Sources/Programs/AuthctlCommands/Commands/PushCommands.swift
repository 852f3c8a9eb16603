internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let push = Command(
    "push",
    "on|off",
    words: 1...1,
    operands: .of(["on", "off"]),
    summary: "turn pushes to this machine on or off",
    details:
      "Without pushes, passcodes and codes still work. A platform that is unreachable now is notified later."
  ) { (session) throws(Failure) in
    let word = session.arguments.words[0]
    guard ["on", "off"].contains(word) else {
      throw session.misused("push requires on or off, not \"\(word)\"")
    }
    try session.setPushChannel(DeviceSetPushAllowed(isAllowed: word == "on"))
  }

  static let pushToken = Command(
    "push-token",
    "PROVIDER [-] [--relay] [--environment NAME]",
    words: 1...2,
    options: [
      Option(
        "--relay",
        "receive pushes at an address of the configured relay (UNIFIEDPUSH, WEBPUSH)"
      ),
      Option(
        "--environment",
        takes: "NAME",
        choices: PushEnvironment.allCases.map(\.rawValue),
        "use Apple's service NAME: production (default) or sandbox"
      ),
    ],
    summary: "choose the provider that delivers pushes to this machine",
    details: """
      PROVIDER is POLL, FCM, APNS, HMS, WEBPUSH or UNIFIEDPUSH. With POLL the daemon fetches pushes itself and
      needs no token. For the others, authctl asks for the token on the terminal or reads one line of standard
      input. It does not take the token from the command line, where other users could see it. Submit the
      messages of the provider with "authctl notifications process". With --relay the daemon receives them
      itself, at the server that push_relay in the configuration names. authctl then prints the address for
      the sender. For WEBPUSH it prints a subscription instead; the sender encrypts with it, so that the relay
      cannot read the pushes.
      """,
    examples: [
      "authctl push-token POLL",
      "authctl push-token WEBPUSH --relay",
    ]
  ) { (session) throws(Failure) in
    let words = session.arguments.words
    guard words.count == 1 || words[1] == "-" else {
      throw session.misused("the token must be typed on the terminal, or given on standard input")
    }
    // Check the provider before asking for a secret.
    guard let provider = PushProvider(rawValue: words[0].uppercased()) else {
      throw session.misused("unknown provider \"\(words[0])\"")
    }
    let environment = try session.option("--environment", "production or sandbox") {
      PushEnvironment(rawValue: $0)
    }
    let isRelayed = session.arguments.has("--relay")
    guard !isRelayed || ([.unifiedPush, .webPush].contains(provider) && words.count == 1) else {
      throw session.misused("--relay requires UNIFIEDPUSH or WEBPUSH, without a token")
    }
    let isTokenless = provider == .poll || isRelayed
    let token = isTokenless ? nil : try session.answer(to: "token", hidden: true)
    try session.setPushChannel(
      DeviceSetPushToken(provider: provider, token: token, environment: environment)
    )
  }

  static let testPush = Command(
    "test-push",
    "[GEO]",
    words: 0...1,
    summary: "check everything that a push needs to arrive, and send a test push",
    details: """
      One line for each test: pass, warning or FAIL, the name of the test, the finding. The exit code is 0
      unless a test failed. The default of GEO is the first geography with a paired user.
      """,
    examples: ["authctl test-push Europe"]
  ) { (session) throws(Failure) in
    let reply = try session.reply(to: DeviceTestPush(geography: try session.geography))
    let report = try reply.value
    let rows = PushTestText.rows(report)
    guard report.result != .fail else {
      let isReachable = !report.tests.contains { $0.name == .connectivity && $0.result == .fail }
      throw .local(
        isReachable ? .pushTestFailed : .platformUnreachable,
        "pushes do not arrive\(PushTestText.cause(report))",
        list: rows,
        details: reply.json
      )
    }
    try session.output.result(reply) { _ in rows }
  }
}

extension Session {
  /// Changes the delivery of pushes, and prints whether they can arrive now.
  func setPushChannel<Method: ControlMethod>(_ method: Method) throws(Failure)
  where Method.Result == PushChannelReport {
    let reply = try reply(to: method)
    try output.result(reply) { report in
      [report.isPushEnabled ? "pushes can arrive" : "pushes cannot arrive"] + PushPlaceText.lines(report)
    }
    note(try reply.value.errors)
  }
}

private enum PushPlaceText {
  static func lines(_ report: PushChannelReport) -> [SafeText] {
    if let subscription = report.subscription {
      return [
        "give this subscription to the sender, for its Web Push library:",
        SafeText(subscription.json),
      ]
    }
    return report.address.map { ["give this address to the sender: \($0)"] } ?? []
  }
}

private enum PushTestText {
  static func rows(_ report: PushTestReport) -> [SafeText] {
    Columns.lines(report.tests) { test in
      let found: SafeText = test.info.map { ": \($0)" } ?? ""
      return [test.result == .fail ? "FAIL" : "\(test.result.name)", "\(test.description)\(found)"]
    }
  }

  /// Returns the reason of the first failed test.
  static func cause(_ report: PushTestReport) -> SafeText {
    let info = report.tests.first { $0.result == .fail }?.info
    return info.map { ": \($0)" } ?? ""
  }
}
