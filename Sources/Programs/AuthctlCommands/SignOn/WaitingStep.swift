internal import JSON
internal import Time

/// A step that waits for something outside: the daemon looks at it again and again, until it is another one.
struct WaitingStep {
  let session: Session
  let login: JSON
  let respondent: any Respondent

  /// How often the person sees that the wait goes on.
  static let tick = Duration.milliseconds(120)
  /// How long until a daemon that was busy is asked again.
  private static let pause = Duration.milliseconds(200)
  /// How often in a row the server may be out of reach, and how long until it is asked again.
  private static let maximumFailures = 5
  private static let recovery = Duration.seconds(1)
  /// How long the daemon may take to look once.
  private static let lookLimit = Duration.seconds(60)

  /// Waits, and returns the step that comes after; the person or program may answer meanwhile.
  func next(after node: Node) throws(Failure) -> JSON {
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
      try respondent.watch(node)
      try daemon.begin("login.next", ["login": login])
      let look: JSON?
      do {
        look = try self.look(daemon, node, since: start, until: end)
        failures = 0
      } catch {
        // A network that is away for a moment does not end what a person is about to confirm.
        guard case .refused(let refusal) = error, refusal.code == Refusal.unreachablePlatform,
          failures < Self.maximumFailures
        else { throw error }
        failures += 1
        try session.waiter.pause(until: .after(Self.recovery))
        continue
      }
      guard let answer = look else { throw .local(.timedOut, "nobody answered in time") }
      let next = Node(json: answer)
      guard next.kind == node.kind, next.waits, next.looks(like: node) else { return answer }
    }
  }

  /// Answers the step; while the daemon asks the server it takes no answer, and is asked again.
  private func answer(_ reply: Reply, before limit: Deadline) throws(Failure) -> JSON {
    while true {
      do { return try session.call(reply.method, reply.params(login: login)) } catch {
        guard case .refused(let refusal) = error, refusal.code == Refusal.conflict, !limit.hasPassed else {
          throw error
        }
        try session.waiter.pause(until: .after(Self.pause))
      }
    }
  }

  /// One look of the daemon, or the answer to what was said meanwhile; `nil` when the time is over.
  private func look(
    _ daemon: DaemonConnection,
    _ node: Node,
    since start: Duration,
    until end: Deadline
  ) throws(Failure) -> JSON? {
    let limit = Deadline.after(Self.lookLimit)
    while true {
      let elapsed = TimeSource.system.uptime() - start
      if let reply = try respondent.meanwhile(node, elapsed: elapsed) {
        respondent.rest()
        // It may have gone on by itself while the person typed.
        if case .answer(let answer) = try daemon.arrival(until: .after(.zero), beside: -1),
          !Node(json: answer).looks(like: node)
        {
          return answer
        }
        return try answer(reply, before: limit)
      }
      respondent.tick(elapsed: elapsed)
      switch try daemon.arrival(until: .after(Self.tick), beside: respondent.descriptor) {
      case .answer(let answer): return answer
      case .beside: break
      case .timedOut:
        if end.hasPassed { return nil }
        if limit.hasPassed { throw .local(.timedOut, "the daemon did not answer in time") }
      }
    }
  }
}
