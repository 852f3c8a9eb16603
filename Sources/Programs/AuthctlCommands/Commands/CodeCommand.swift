internal import ControlAPI
internal import ControlClient
internal import JSON
internal import JSONRPC
internal import Usage

extension Command {
  static let code = Command(
    "code",
    "CODE [--approve|--deny] [--user NAME] [--wait]",
    words: 0...1,
    options: [
      Option("--approve", "approve without asking"),
      Option("--deny", "deny without asking"),
      Option("--wait", "wait until the decision has reached the platform"),
      Option("--user", takes: "NAME", "sign on as the user NAME: name, id or a unique part of either"),
    ],
    summary: "sign on with an authentication code",
    details: """
      CODE is the code that the sign-on page shows, or the address in its QR code. If it needs a decision,
      authctl asks on the terminal, unless you give --approve or --deny.
      """,
    examples: ["authctl code 4F7K2M9Q --approve"]
  ) { (session) throws(Failure) in
    guard let word = session.arguments.words.first else {
      throw .local(
        .usage,
        "too few arguments",
        hint: "give the code of the sign-on page; for a passcode: \"authctl otp\""
      )
    }
    let option = try session.one(of: "--approve", "--deny")
    let reply = try session.reply(to: AuthenticationStart(code: word))
    let code = try reply.value
    guard code.status == .claimed else { return try session.show(code.status, reply.json, denied: false) }
    session.terminal?.show(CodeText.description(code))
    let approves = try session.approves(code, option)
    let user = try session.user(of: code, approves: approves)
    let outcome =
      approves
      ? try session.verified { (claim) throws(Failure) in
        try session.decide(
          code,
          by: AuthenticationApprove(authentication: code.id, userID: user, presence: claim)
        )
      }
      : try session.decide(code, by: AuthenticationDeny(authentication: code.id, userID: user))
    try session.show(try outcome.value, outcome.json, denied: !approves)
  }
}

/// Authentication codes in text form.
private enum CodeText {
  static let naming = NameMatcher<AuthenticationObject.Candidate>(
    id: { $0.id },
    names: { [$0.username, $0.email, $0.given, $0.family] },
    row: { [Describe.user($0), Describe.short($0.id)] }
  )

  static func users(_ code: AuthenticationObject) -> [SafeText] {
    Columns.lines(code.users, naming.row)
  }

  static func description(_ code: AuthenticationObject) -> [SafeText] {
    var rows = code.users.enumerated().map { index, user -> [SafeText] in
      [code.users.count > 1 ? "user \(index + 1)" : "user", Describe.user(user)]
    }
    rows += ContextText.rows(code.clientContext)
    if code.userApproval == "NOT_REQUIRED" {
      rows.append(["approval", "not required for this code; authctl asks anyway"])
    }
    rows.append(["ends", Describe.expiry(code.expiresAt)])
    return Columns.lines(rows)
  }
}

extension Session {
  fileprivate func approves(_ code: AuthenticationObject, _ option: String?) throws(Failure) -> Bool {
    if let option { return option == "--approve" }
    guard let terminal else {
      throw .local(
        .usage,
        "this code needs a decision",
        hint: "repeat the command with --approve or --deny",
        list: CodeText.users(code)
      )
    }
    switch try terminal.ask("approve this sign-on? [y/n]", isDecision: true)?.lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default: throw .local(.cancelled, "neither approved nor denied")
    }
  }

  fileprivate func user(of code: AuthenticationObject, approves: Bool) throws(Failure) -> String? {
    let users = code.users
    let name = arguments["--user"]
    let fitting = name.map { CodeText.naming.fitting($0, among: users) } ?? users
    if let name, fitting.isEmpty {
      throw .local(.notFound, "no user \"\(name)\" for this code", list: CodeText.users(code))
    }
    if name != nil, fitting.count == 1 { return fitting.first?.id }
    guard approves || name != nil, fitting.count > 1 else { return nil }
    // The code's description numbers all its users. If `--user` matches some, list these with new numbers.
    if name != nil { terminal?.show(Columns.numbered(fitting.map { Describe.user($0) })) }
    while let answer = try terminal?.ask("which user? [1-\(fitting.count)]") {
      if let number = Int(answer), fitting.indices.contains(number - 1) { return fitting[number - 1].id }
    }
    throw .local(
      .ambiguous,
      name.map { "several users match \"\($0)\"" } ?? "several users can sign on with this code",
      hint: "choose one with --user NAME",
      list: CodeText.users(code),
      details: code.json
    )
  }

  /// Submits the decision.
  ///
  /// The daemon retries the decision if it does not reach the platform.
  fileprivate func decide<Method: ControlMethod>(
    _ code: AuthenticationObject,
    by method: Method
  ) throws(Failure) -> Reply<Method.Result> where Method.Result == Open<AuthenticationObject.Status> {
    let waits = arguments.has("--wait")
    if waits { try daemon().subscribe(to: [.authentication]) }
    do { return try reply(to: method) } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .noConnectivity) else { throw error }
      guard waits else {
        output.note("the daemon keeps the decision and retries until the code expires")
        throw error
      }
    }
    return Reply(.known(try outcome(of: code.id)), of: Method.self)
  }

  /// Waits until the state of a code is no longer `claimed`.
  private func outcome(of id: String) throws(Failure) -> AuthenticationObject.Status {
    let deadline = waitDeadline
    while let event = try daemon().nextEvent(until: deadline) {
      let codes =
        event.saysLost
        ? try call(AuthenticationList()) : [event.changed(.authentication)].compactMap { $0 }
      let status = codes.first { $0.id == id }?.status.choice
      if let status, status != .claimed { return status }
    }
    throw .local(
      .timedOut,
      "the decision did not reach the platform in time",
      hint: "the daemon retries until the code expires"
    )
  }

  fileprivate func show(
    _ status: Open<AuthenticationObject.Status>,
    _ result: JSON,
    denied: Bool
  ) throws(Failure) {
    let line: SafeText
    switch status.choice {
    case .expired: throw .local(.expired, "the code expired")
    case .denied where !denied: throw .local(.denied, "the sign-on was denied")
    case .denied: line = "denied"
    case .completed: line = "signed on"
    default: line = "status \(status.name)"
    }
    try output.result(Reply<JSON>(json: result)) { _ in [line] }
  }
}
