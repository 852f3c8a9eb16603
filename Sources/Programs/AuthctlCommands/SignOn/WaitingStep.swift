internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Time

/// Waits for another device or page: the daemon polls the step until it changes.
struct WaitingStep {
  let session: Session
  let answerSource: any AnswerSource

  static let tick = Duration.milliseconds(120)
  /// Delay before a busy daemon is called again.
  private static let pause = Duration.milliseconds(200)
  /// Maximum number of consecutive failures to reach the server, and the delay after each.
  private static let maximumFailures = 5
  private static let recovery = Duration.seconds(1)
  /// Maximum time for one poll of the daemon.
  private static let lookLimit = Duration.seconds(60)

  /// Waits and returns the next step.
  ///
  /// The user or program may answer meanwhile.
  func next(after step: DialogueStep) throws(Failure) -> DialogueStep {
    let daemon = try session.daemon()
    let start = TimeSource.system.uptime()
    let end = session.watchDeadline
    defer { answerSource.clearProgress() }
    session.waiter.onSuspend = { [answerSource] in
      answerSource.clearProgress()
      return {}
    }
    defer { session.waiter.onSuspend = nil }
    var failures = 0
    while true {
      try answerSource.watch(step)
      try daemon.begin(LoginNext(login: step.node.login))
      let look: DialogueStep?
      do {
        look = try self.look(daemon, step, since: start, until: end)
        failures = 0
      } catch {
        // A brief loss of the network must not end a sign-on that the user is about to confirm.
        guard case .refused(let refusal) = error, refusal.isOne(of: .noConnectivity, .issuerFailed),
          failures < Self.maximumFailures
        else { throw error }
        failures += 1
        try session.waiter.pause(until: .after(Self.recovery))
        continue
      }
      guard let next = look else { throw .local(.timedOut, "no answer in time") }
      guard next.node.outcome == step.node.outcome, next.waits, next.looks(like: step) else { return next }
    }
  }

  /// Submits an answer, and repeats it while the daemon refuses it because a poll is in flight.
  private func result(of call: any ControlMethod, before limit: Deadline) throws(Failure) -> DialogueStep {
    while true {
      do { return try DialogueStep(try session.daemon().result(of: call)) } catch {
        guard case .refused(let refusal) = error, refusal.isOne(of: .conflict), !limit.hasPassed else {
          throw error
        }
        try session.waiter.pause(until: .after(Self.pause))
      }
    }
  }

  /// Returns the result of one poll, or of the input during it; `nil` at the deadline.
  private func look(
    _ daemon: DaemonConnection,
    _ step: DialogueStep,
    since start: Duration,
    until end: Deadline
  ) throws(Failure) -> DialogueStep? {
    let limit = Deadline.after(Self.lookLimit)
    while true {
      let elapsed = TimeSource.system.uptime() - start
      if let input = try answerSource.inputWhileWaiting(step, elapsed: elapsed) {
        answerSource.clearProgress()
        // The step may have changed while the user typed.
        if case .answer(let answer) = try daemon.arrival(until: .after(.zero)) {
          let next = try DialogueStep(answer)
          if !next.looks(like: step) { return next }
        }
        return try session.verified { (claim) throws(Failure) in
          try result(of: input.call(step.node.login, claim), before: limit)
        }
      }
      answerSource.tick(elapsed: elapsed)
      switch try daemon.arrival(until: .after(Self.tick), beside: answerSource.descriptor) {
      case .answer(let answer): return try DialogueStep(answer)
      case .beside: break
      case .timedOut:
        if end.hasPassed { return nil }
        if limit.hasPassed { throw .noAnswer }
      }
    }
  }
}
