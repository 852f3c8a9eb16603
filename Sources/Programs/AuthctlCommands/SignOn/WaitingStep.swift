internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Time

/// A step that waits for something outside: the daemon looks at it again and again, until it is another one.
struct WaitingStep {
  let session: Session
  let respondent: any Respondent

  static let tick = Duration.milliseconds(120)
  /// How long until a daemon that was busy is asked again.
  private static let pause = Duration.milliseconds(200)
  /// How often in a row the server may be out of reach, and how long until it is asked again.
  private static let maximumFailures = 5
  private static let recovery = Duration.seconds(1)
  /// How long the daemon may take to look once.
  private static let lookLimit = Duration.seconds(60)

  /// Waits, and returns the step that comes after; the person or program may answer meanwhile.
  func next(after step: DialogueStep) throws(Failure) -> DialogueStep {
    let daemon = try session.daemon()
    let start = TimeSource.system.uptime()
    let end = session.watchDeadline
    defer { respondent.rest() }
    session.waiter.onSuspend = { [respondent] in
      respondent.rest()
      return {}
    }
    defer { session.waiter.onSuspend = nil }
    var failures = 0
    while true {
      try respondent.watch(step)
      try daemon.begin(LoginNext(login: step.node.login))
      let look: DialogueStep?
      do {
        look = try self.look(daemon, step, since: start, until: end)
        failures = 0
      } catch {
        // A network that is away for a moment does not end what a person is about to confirm.
        guard case .refused(let refusal) = error, refusal.isOne(of: .noConnectivity),
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

  /// Answers the step; while the daemon asks the server it takes no answer, and is asked again.
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

  /// One look of the daemon, or the answer to what was said meanwhile; `nil` when the time is over.
  private func look(
    _ daemon: DaemonConnection,
    _ step: DialogueStep,
    since start: Duration,
    until end: Deadline
  ) throws(Failure) -> DialogueStep? {
    let limit = Deadline.after(Self.lookLimit)
    while true {
      let elapsed = TimeSource.system.uptime() - start
      if let input = try respondent.meanwhile(step, elapsed: elapsed) {
        respondent.rest()
        // It may have gone on by itself while the person typed.
        if case .answer(let answer) = try daemon.arrival(until: .after(.zero)) {
          let next = try DialogueStep(answer)
          if !next.looks(like: step) { return next }
        }
        return try session.verified { (claim) throws(Failure) in
          try result(of: input.call(step.node.login, claim), before: limit)
        }
      }
      respondent.tick(elapsed: elapsed)
      switch try daemon.arrival(until: .after(Self.tick), beside: respondent.descriptor) {
      case .answer(let answer): return try DialogueStep(answer)
      case .beside: break
      case .timedOut:
        if end.hasPassed { return nil }
        if limit.hasPassed { throw .noAnswer }
      }
    }
  }
}
