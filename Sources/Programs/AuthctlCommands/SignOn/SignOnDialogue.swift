internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Time

/// Runs a sign-on step by step, with the user at the terminal or a program on standard input.
///
/// If it ends early, it tries to cancel the sign-on at the daemon, which otherwise keeps it for ten minutes.
final class SignOnDialogue {
  private let session: Session
  private let answerSource: any AnswerSource
  private var login: String?
  /// True if the step may have sent a request to this machine, which stays pending after the sign-on.
  private var mayWaitHere = false

  /// Maximum number of steps, far more than a sign-on has, as a protection from endless servers.
  private static let maximumSteps = 100
  /// Time without a response after which progress is shown.
  private static let patience = Duration.seconds(1)
  /// Maximum wait for the daemon at the end of the program.
  private static let cancelLimit = Duration.seconds(2)

  init(_ session: Session, _ given: GivenAnswers) {
    self.session = session
    answerSource =
      session.terminal.map { PersonAnswers(session, $0, given) } ?? ProgramAnswers(session, given)
  }

  /// Signs on and returns the last node, which contains the pending pairing.
  func run(_ start: LoginStart) throws(Failure) -> Reply<Node> {
    do throws(Failure) {
      var (step, isFirst) = (try begin(start), true)
      for _ in 0..<Self.maximumSteps {
        (login, mayWaitHere) = (step.node.login, step.offersOwnPush)
        switch step.node.outcome {
        case .known(.success): return step.reply
        case .known(.failure):
          login = nil
          throw Self.failed(step.node, isFirst: isFirst)
        default: step = try answer(step)
        }
        isFirst = false
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
      // Only the response contains the id of the sign-on to cancel.
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
    if step.waits { return try WaitingStep(session: session, answerSource: answerSource).next(after: step) }
    var again = step.isRepeated
    for _ in 0..<Self.maximumSteps {
      let input = try answerSource.input(for: step, again: again)
      do {
        return try session.verified { (claim) throws(Failure) in
          try result(of: input.call(step.node.login, claim))
        }
      } catch {
        // The step is still active: the user can answer again or choose another option.
        guard let terminal = session.terminal, case .refused(let refusal) = error,
          refusal.isOne(of: .invalidParams, .noConnectivity)
        else { throw error }
        terminal.show([refusal.message])
        again = true
      }
    }
    throw .local(.signOnFailed, "the sign-on did not end after \(Self.maximumSteps) answers to one step")
  }

  /// Submits an answer, and shows progress while a slow server responds.
  private func result(of call: any ControlMethod) throws(Failure) -> DialogueStep {
    let daemon = try session.daemon()
    let (start, end) = (TimeSource.system.uptime(), session.answerDeadline)
    try daemon.begin(call)
    defer { answerSource.clearProgress() }
    while !end.hasPassed {
      let arrival = try daemon.arrival(until: .after(WaitingStep.tick))
      if case .answer(let answer) = arrival { return try DialogueStep(answer) }
      let elapsed = TimeSource.system.uptime() - start
      if elapsed > Self.patience { answerSource.tick(elapsed: elapsed) }
    }
    throw .noAnswer
  }

  /// Returns the error of a sign-on that ended with a failure.
  ///
  /// If the issuer refuses the first request, the client in the configuration is the usual reason.
  static func failed(_ node: Node, isFirst: Bool = false) -> Failure {
    let reasons: [String: Failure.Reason] = ["DENIED": .denied, "EXPIRED": .expired]
    let isOfClient = isFirst && node.cause == "REFUSED" && node.method != .journey
    return .local(
      node.cause.flatMap { reasons[$0] } ?? .signOnFailed,
      (node.page.message ?? node.cause).map { Markup.line($0) } ?? "the sign-on failed",
      hint: isOfClient
        ? "check \"client_id\" and \"redirect_uri\" in mfad.conf; \"sudo authctl setup\" asks for them again"
        : "the sign-on has ended; start it again"
    )
  }
}

/// The source of answers to the steps of a sign-on.
protocol AnswerSource: AnyObject {
  /// Returns the answer to a step. `again` is true if the last answer was refused.
  func input(for step: DialogueStep, again: Bool) throws(Failure) -> DialogueInput

  /// Shows a step that waits for another device or page.
  func watch(_ step: DialogueStep) throws(Failure)

  /// The descriptor that is readable when `inputWhileWaiting` has input; -1 for none.
  var descriptor: Int32 { get }

  /// Returns the input during a wait; `nil` if there is none that answers the step.
  func inputWhileWaiting(_ step: DialogueStep, elapsed: Duration) throws(Failure) -> DialogueInput?

  /// Shows the progress of the wait, if there is a terminal.
  func tick(elapsed: Duration)

  /// Removes the output of `tick`.
  func clearProgress()
}
