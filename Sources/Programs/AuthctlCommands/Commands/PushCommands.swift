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
    summary: "let pushes come to this machine, or not",
    details:
      "Without pushes passcodes and codes work as before. A platform that cannot be told now is told later."
  ) { (session) throws(Failure) in
    let word = session.arguments.words[0]
    guard ["on", "off"].contains(word) else {
      throw session.misused("it is either on or off, not \"\(word)\"")
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
        "let this machine choose an address at its relay and take pushes there; for UNIFIEDPUSH, WEBPUSH"
      ),
      Option(
        "--environment",
        takes: "NAME",
        choices: PushEnvironment.allCases.map(\.rawValue),
        "which of Apple's services: production (the default) or sandbox"
      ),
    ],
    summary: "choose by which provider pushes come to this machine",
    details: """
      PROVIDER is POLL, with which the daemon fetches pushes itself and which needs no token, or FCM, APNS, HMS,
      WEBPUSH or UNIFIEDPUSH. Their token is asked for on the terminal, or is one line of standard input; it is
      never given on the command line, where others could see it. What the provider brings is handed in with
      "authctl notifications process". With --relay it is taken by the daemon itself, at the server that the
      administrator has named as push_relay; the address is printed for whoever sends, and for WEBPUSH, with which
      that server can read nothing, a subscription to encrypt with.
      """,
    examples: [
      "authctl push-token POLL",
      "authctl push-token WEBPUSH --relay",
    ]
  ) { (session) throws(Failure) in
    let words = session.arguments.words
    guard words.count == 1 || words[1] == "-" else {
      throw session.misused("the token is given on the terminal or on standard input")
    }
    // A secret is not asked for where it is certain that nobody wants it.
    guard let provider = PushProvider(rawValue: words[0].uppercased()) else {
      throw session.misused("there is no provider \"\(words[0])\"")
    }
    let environment = try session.option("--environment", "production or sandbox") {
      PushEnvironment(rawValue: $0)
    }
    let isRelayed = session.arguments.has("--relay")
    guard !isRelayed || ([.unifiedPush, .webPush].contains(provider) && words.count == 1) else {
      throw session.misused("--relay is for UNIFIEDPUSH or WEBPUSH without a token")
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
    summary: "look at everything that a push needs to arrive, and let one come",
    details: """
      One line for each test: pass, warning or FAIL, what was looked at, what was found. The exit code is 0 unless a test
      failed. Without GEO it is the first geography in which somebody is paired.
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
        "a push does not arrive\(PushTestText.cause(report))",
        list: rows,
        details: reply.json
      )
    }
    try session.output.result(reply) { _ in rows }
  }
}

extension Session {
  /// Changes how pushes come, and prints whether they can come now.
  func setPushChannel<Method: ControlMethod>(_ method: Method) throws(Failure)
  where Method.Result == PushChannelReport {
    let reply = try reply(to: method)
    try output.result(reply) { report in
      [report.isPushEnabled ? "pushes can come" : "pushes cannot come"] + PushPlaceText.lines(report)
    }
    note(try reply.value.errors)
  }
}

private enum PushPlaceText {
  static func lines(_ report: PushChannelReport) -> [SafeText] {
    if let subscription = report.subscription {
      return [
        "whoever sends them gives this to a Web Push library, which encrypts them:",
        SafeText(subscription.json),
      ]
    }
    return report.address.map { ["they are left at \($0)"] } ?? []
  }
}

private enum PushTestText {
  static func rows(_ report: PushTestReport) -> [SafeText] {
    Columns.lines(report.tests) { test in
      let found: SafeText = test.info.map { ": \($0)" } ?? ""
      return [test.result == .fail ? "FAIL" : "\(test.result.name)", "\(test.description)\(found)"]
    }
  }

  /// Why the first that failed did.
  static func cause(_ report: PushTestReport) -> SafeText {
    let info = report.tests.first { $0.result == .fail }?.info
    return info.map { ": \($0)" } ?? ""
  }
}
