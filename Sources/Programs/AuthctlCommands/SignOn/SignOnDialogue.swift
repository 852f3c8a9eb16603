internal import JSON
internal import Time

/// A sign-on, step by step, with the person at the terminal or the program behind standard input.
///
/// Whichever way it ends early, the daemon is told: a sign-on that nobody goes on with would count for ten
/// minutes.
final class SignOnDialogue {
  private let session: Session
  private let respondent: any Respondent
  private var login: JSON?

  /// Far more than a sign-on has; a server that never comes to an end is left.
  private static let maximumSteps = 100
  /// How long nobody wonders whether anything happens.
  private static let patience = Duration.seconds(1)
  /// How long the end of the program waits for the daemon.
  private static let cancelLimit = Duration.seconds(2)

  init(_ session: Session, _ given: GivenAnswers) {
    self.session = session
    respondent =
      session.terminal.map { PersonAnswers(session, $0, given) } ?? ProgramAnswers(session, given)
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
    let login = login ?? .null
    if node.waits {
      return try WaitingStep(session: session, login: login, respondent: respondent).next(after: node)
    }
    var again = node.isRepeated
    for _ in 0..<Self.maximumSteps {
      let reply = try respondent.reply(to: node, again: again)
      do { return try call(reply, login) } catch {
        // The step is still there, and a person can answer it in another way or once more.
        guard let terminal = session.terminal, case .refused(let refusal) = error, refusal.leavesStep else {
          throw error
        }
        terminal.show(["\(error.message)"])
        again = true
      }
    }
    throw .local(.signOnFailed, "the sign-on does not come to an end")
  }

  /// Hands in an answer; a server that takes its time is waited for visibly.
  private func call(_ reply: Reply, _ login: JSON) throws(Failure) -> JSON {
    let daemon = try session.daemon()
    let (start, end) = (TimeSource.system.uptime(), session.answerDeadline)
    try daemon.begin(reply.method, reply.params(login: login))
    defer { respondent.rest() }
    while !end.hasPassed {
      let arrival = try daemon.arrival(until: .after(WaitingStep.tick), beside: -1)
      if case .answer(let answer) = arrival { return answer }
      let elapsed = TimeSource.system.uptime() - start
      if elapsed > Self.patience { respondent.tick(elapsed: elapsed) }
    }
    throw .local(.timedOut, "the daemon did not answer in time")
  }

  /// Why a sign-on that ended did not go well.
  static func failed(_ node: Node) -> Failure {
    let cause = node.json["cause"]?.string
    let reasons: [String: Failure.Reason] = ["DENIED": .denied, "EXPIRED": .expired]
    return .local(
      cause.flatMap { reasons[$0] } ?? .signOnFailed,
      (node.message ?? cause).map { Markup.line($0) } ?? "the sign-on failed",
      hint: "the sign-on is over; start it again"
    )
  }
}

extension Refusal {
  /// Whether the step that was answered can be answered again.
  fileprivate var leavesStep: Bool { code == Self.invalidParams || code == Self.unreachablePlatform }
}
