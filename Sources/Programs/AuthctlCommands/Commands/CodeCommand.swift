internal import JSON

extension Command {
  static let code: Command = Command(
    "code",
    "CODE [--approve|--deny] [--user ID] [--wait]",
    words: 1...1,
    options: [
      Option("--approve", "approve without asking"),
      Option("--deny", "deny without asking"),
      Option("--wait", "wait until the decision has reached the platform"),
      Option("--user", value: "ID", "the user to sign on as, where there are several"),
    ],
    summary: "sign on with an authentication code",
    details: """
      CODE is what the sign-on page shows, or the address behind its QR code. Unless the code needs no approval, it
      is asked about on the terminal, or --approve or --deny decides.
      """
  ) { (session) throws(Failure) in
    if session.arguments.has("--approve"), session.arguments.has("--deny") {
      throw Command.code.misused("--approve and --deny exclude each other")
    }
    let started = try session.call("authentication.start", ["code": .string(session.arguments.words[0])])
    guard started["status"] == "CLAIMED" else { return try session.show(code: started, denied: false) }
    session.terminal?.show(CodeText.description(started))
    let approves = try session.approvesCode(started)
    var params: JSONObject = ["authentication": started["id"] ?? .null]
    params["userId"] = try session.user(of: started, approves: approves)
    let method = approves ? "authentication.approve" : "authentication.deny"
    try session.show(code: try session.decide(code: started, method, params), denied: !approves)
  }
}

private enum CodeText {
  static func users(_ authentication: JSON) -> [JSON] { authentication["users"]?.array ?? [] }

  static func list(_ authentication: JSON) -> [SafeText] {
    Columns.lines(users(authentication).map { [Describe.value($0["userId"]), Describe.user($0)] })
  }

  static func description(_ authentication: JSON) -> [SafeText] {
    var rows = users(authentication).enumerated().map { index, user -> [SafeText] in
      [users(authentication).count > 1 ? "user \(index + 1)" : "user", Describe.user(user)]
    }
    rows += ContextText.rows(authentication["clientContext"])
    if authentication["userApproval"] == "NOT_REQUIRED" {
      rows.append(["approval", "not needed for this code; this machine asks in any case"])
    }
    rows.append(["ends", Describe.expiry(authentication["expiresAt"])])
    return Columns.lines(rows)
  }
}

extension Session {
  fileprivate func approvesCode(_ authentication: JSON) throws(Failure) -> Bool {
    if arguments.has("--approve") { return true }
    if arguments.has("--deny") { return false }
    guard let terminal else {
      throw .local(
        .usage,
        "this code needs a decision",
        hint: "repeat it with --approve or --deny",
        list: CodeText.list(authentication)
      )
    }
    let answer = try terminal.ask("approve this sign-on? [y/n]")?.lowercased()
    switch answer {
    case "y"?, "yes"?: return true
    case "n"?, "no"?: return false
    default: throw .local(.cancelled, "neither approved nor denied")
    }
  }

  fileprivate func user(of authentication: JSON, approves: Bool) throws(Failure) -> JSON? {
    let users = CodeText.users(authentication)
    if let id = arguments["--user"] {
      guard users.contains(where: { $0["userId"]?.string == id }) else {
        throw .local(.notFound, "no user \"\(id)\" for this code", list: CodeText.list(authentication))
      }
      return .string(id)
    }
    guard approves, users.count > 1 else { return nil }
    while let answer = try terminal?.ask("which user? [1-\(users.count)]") {
      if let number = Int(answer), (1...users.count).contains(number) { return users[number - 1]["userId"] }
    }
    throw .local(
      .ambiguous,
      "several users can sign on with this code",
      hint: "choose one with --user",
      list: CodeText.list(authentication),
      details: ["users": authentication["users"] ?? []]
    )
  }

  /// Hands in the decision; one that the platform has not heard is repeated by the daemon.
  fileprivate func decide(code started: JSON, _ method: String, _ params: JSONObject) throws(Failure) -> JSON
  {
    let waits = arguments.has("--wait")
    if waits { try daemon().subscribe(to: ["authentication"]) }
    do { return try call(method, params) } catch {
      guard case .refused(let refusal) = error, refusal.code == Refusal.unreachablePlatform else {
        throw error
      }
      guard waits else {
        output.note("the daemon keeps the decision and sends it again until the code ends")
        throw error
      }
    }
    return try outcome(of: started)
  }

  /// Waits until a code is no longer only claimed.
  private func outcome(of started: JSON) throws(Failure) -> JSON {
    let deadline = waitDeadline
    while let event = try daemon().nextEvent(until: deadline) {
      var code = event.payload
      if event.saysLost {
        let codes = try call("authentication.list")["authentications"]?.array ?? []
        code = codes.first { $0["id"] == started["id"] } ?? [:]
      }
      guard code["id"] == started["id"], let status = code["status"], status != "CLAIMED" else { continue }
      return ["status": status]
    }
    throw .local(
      .timedOut,
      "the decision has not reached the platform in time",
      hint: "the daemon goes on trying until the code ends"
    )
  }

  fileprivate func show(code result: JSON, denied: Bool) throws(Failure) {
    switch result["status"]?.string {
    case "EXPIRED": throw .local(.expired, "the code expired")
    case "DENIED" where !denied: throw .local(.denied, "the sign-on was denied")
    case "DENIED": try output.result(result) { _ in ["denied"] }
    case "COMPLETED": try output.result(result) { _ in ["signed on"] }
    default: try output.result(result) { ["status \(Describe.value($0["status"]))"] }
    }
  }
}
