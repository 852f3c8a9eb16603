internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Time

/// A sign-on, step by step, with the person at the terminal or the program behind standard input.
///
/// Whichever way it ends early, the daemon is told: a sign-on that nobody goes on with would count for ten
/// minutes.
final class SignOnDialogue {
  private let session: Session
  private let respondent: any Respondent
  private var login: String?
  /// Whether the step may have sent a request to this machine, which the end of the sign-on does not decide.
  private var mayWaitHere = false

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
  func run(_ start: LoginStart) throws(Failure) -> Reply<Node> {
    do throws(Failure) {
      var step = try begin(start)
      for _ in 0..<Self.maximumSteps {
        (login, mayWaitHere) = (step.node.login, step.offersOwnPush)
        switch step.node.outcome {
        case .known(.success): return step.reply
        case .known(.failure):
          login = nil
          throw Self.failed(step.node)
        default: step = try answer(step)
        }
      }
      throw .local(.signOnFailed, "the sign-on did not end after \(Self.maximumSteps) steps")
    } catch {
      cancel()
      if mayWaitHere, !session.output.asJSON {
        session.terminal?.show([""])
        session.output.hint(
          "its request to this machine may still be pending: \"authctl approve\" shows it and can deny it"
        )
      }
      throw error
    }
  }

  private func begin(_ start: LoginStart) throws(Failure) -> DialogueStep {
    let daemon = try session.daemon()
    session.waiter.catchSignals()
    do { return try DialogueStep(try daemon.result(of: start)) } catch {
      // Only the answer tells what is to be cancelled.
      if case .interrupted = error, let late = try? daemon.answer(until: .after(Self.cancelLimit)) {
        login = try? DialogueStep(late).node.login
      }
      throw error
    }
  }

  private func cancel() {
    guard let login else { return }
    _ = try? session.daemon().result(of: LoginCancel(login: login), within: Self.cancelLimit)
  }

  private func answer(_ step: DialogueStep) throws(Failure) -> DialogueStep {
    if step.waits { return try WaitingStep(session: session, respondent: respondent).next(after: step) }
    var again = step.isRepeated
    for _ in 0..<Self.maximumSteps {
      let input = try respondent.input(for: step, again: again)
      do {
        return try session.verified { (claim) throws(Failure) in
          try result(of: input.call(step.node.login, claim))
        }
      } catch {
        // The step is still there, and a person can answer it in another way or once more.
        guard let terminal = session.terminal, case .refused(let refusal) = error,
          refusal.isOne(of: .invalidParams, .noConnectivity)
        else { throw error }
        terminal.show([refusal.message])
        again = true
      }
    }
    throw .local(.signOnFailed, "the sign-on did not end after \(Self.maximumSteps) answers to one step")
  }

  /// Hands in an answer; a server that takes its time is waited for visibly.
  private func result(of call: any ControlMethod) throws(Failure) -> DialogueStep {
    let daemon = try session.daemon()
    let (start, end) = (TimeSource.system.uptime(), session.answerDeadline)
    try daemon.begin(call)
    defer { respondent.rest() }
    while !end.hasPassed {
      let arrival = try daemon.arrival(until: .after(WaitingStep.tick))
      if case .answer(let answer) = arrival { return try DialogueStep(answer) }
      let elapsed = TimeSource.system.uptime() - start
      if elapsed > Self.patience { respondent.tick(elapsed: elapsed) }
    }
    throw .noAnswer
  }

  /// Why a sign-on that ended did not go well.
  static func failed(_ node: Node) -> Failure {
    let reasons: [String: Failure.Reason] = ["DENIED": .denied, "EXPIRED": .expired]
    return .local(
      node.cause.flatMap { reasons[$0] } ?? .signOnFailed,
      (node.page.message ?? node.cause).map { Markup.line($0) } ?? "the sign-on failed",
      hint: "the sign-on has ended; start it again"
    )
  }
}

/// Who answers the steps of a sign-on.
protocol Respondent: AnyObject {
  /// Answers a step; again, when the last answer to it was refused.
  func input(for step: DialogueStep, again: Bool) throws(Failure) -> DialogueInput

  /// Shows a step that waits for something outside.
  func watch(_ step: DialogueStep) throws(Failure)

  /// What tells that `meanwhile` has something to read; -1 for nothing.
  var descriptor: Int32 { get }

  /// What was said while a step waits; `nil` for nothing that answers it.
  func meanwhile(_ step: DialogueStep, elapsed: Duration) throws(Failure) -> DialogueInput?

  /// Shows that the wait goes on, if anybody wants to see that.
  func tick(elapsed: Duration)

  /// Takes away what `tick` showed.
  func rest()
}
