internal import JSON

/// A sign-on, step by step, with the person at the terminal or the program behind standard input.
///
/// Whichever way it ends early, the daemon is told: a sign-on that nobody goes on with would count for ten
/// minutes.
final class SignOnDialogue {
  private let session: Session
  /// Answers by key that were given on the command line, and afterwards the last ones that are no secrets.
  private var answers: [String: String]
  private var login: JSON?

  /// Far more than a sign-on has; a server that never comes to an end is left.
  private static let maximumSteps = 50
  /// How long the end of the program waits for the daemon.
  private static let cancelLimit = Duration.seconds(2)

  init(_ session: Session, answers: [String: String]) {
    self.session = session
    self.answers = answers
  }

  /// Signs on and returns the last node, which says which pairing waits.
  func run(_ params: JSONObject) throws(Failure) -> JSON {
    do throws(Failure) {
      var node = Node(json: try start(params))
      login = node.json["login"]
      for _ in 0..<Self.maximumSteps {
        switch node.kind {
        case "success": return node.json
        case "failure":
          login = nil
          throw Self.failed(node)
        default: node = Node(json: try answer(node))
        }
      }
      throw .local(.signOnFailed, "the sign-on does not come to an end")
    } catch {
      cancel()
      throw error
    }
  }

  private func start(_ params: JSONObject) throws(Failure) -> JSON {
    let daemon = try session.daemon()
    session.waiter.catchSignals()
    do { return try daemon.call("login.start", params) } catch {
      // Only the answer tells what is to be cancelled.
      if case .interrupted = error { login = (try? daemon.lateAnswer(within: Self.cancelLimit))?["login"] }
      throw error
    }
  }

  private func cancel() {
    guard let login else { return }
    _ = try? session.daemon().call("login.cancel", ["login": login], within: Self.cancelLimit)
  }

  private func answer(_ node: Node) throws(Failure) -> JSON {
    let linesBefore = session.input.linesRead
    if let message = node.message { tell("\(message)") }
    session.terminal?.show(node.heading)
    if let address = node.browserURL { return try resume(address) }
    var values: JSONObject = [:]
    for collector in node.collectors {
      guard collector.asks else {
        session.terminal?.show(collector.notes)
        continue
      }
      values[collector.key] = .string(try value(of: collector, isAgain: node.kind == "error"))
    }
    // The same answers again would be refused again.
    guard node.kind != "error" || session.terminal != nil || session.input.linesRead > linesBefore else {
      throw Self.failed(node)
    }
    return try session.call("login.next", ["login": login ?? .null, "values": .object(values)])
  }

  private func value(of collector: Collector, isAgain: Bool) throws(Failure) -> String {
    if let given = answers[collector.key] {
      guard !collector.isSecret else {
        throw .local(
          .usage,
          "\"\(collector.key)\" is a secret: it is not taken from the command line",
          hint: "it is asked for on the terminal, or is one line of standard input"
        )
      }
      if !isAgain || session.terminal == nil { return given }
    }
    session.terminal?.show(collector.notes)
    let preset = answers[collector.key] ?? collector.preset
    let prompt = preset.map { "\(collector.label) [\($0)]" as SafeText } ?? collector.label
    while let line = try session.ask(prompt, hidden: collector.isSecret) {
      if line.isEmpty, let preset { return preset }
      // A program behind standard input gets the server's answer; a person is asked again at once.
      let isMissing = line.isEmpty && collector.isRequired && session.terminal != nil
      guard !isMissing, let value = collector.value(for: line) else { continue }
      if !collector.isSecret, session.terminal != nil { answers[collector.key] = value }
      return value
    }
    throw .local(.cancelled, "input ended before the sign-on was done")
  }

  private func resume(_ address: String) throws(Failure) -> JSON {
    tell("open \(address) in a browser")
    guard let uri = try session.ask("address that the browser ends at"), !uri.isEmpty else {
      throw .local(.cancelled, "input ended before the sign-on was done")
    }
    return try session.call("login.resume", ["login": login ?? .null, "uri": .string(uri)])
  }

  private func tell(_ text: SafeText) {
    if let terminal = session.terminal { terminal.show([text]) } else { session.output.note(text) }
  }

  private static func failed(_ node: Node) -> Failure {
    let message = node.message ?? node.json["cause"]?.string
    return .local(
      .signOnFailed,
      message.map { "\($0)" } ?? "the sign-on failed",
      hint: "start again with \"authctl login\""
    )
  }
}
