internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

enum RequestedDecision: String {
  case approved
  case denied

  /// Returns the failure if the notification's state contradicts this decision; `nil` if it agrees.
  func failure(_ notification: NotificationObject) -> Failure? {
    switch notification.state {
    case .known(.pending), .known(.sending): nil
    case .known(.approved) where self == .approved, .known(.denied) where self == .denied: nil
    case .known(.denied): .local(.denied, "the request was denied")
    case .known(.expired): .local(.expired, "the request expired before the answer arrived")
    case .known(.cancelled): .local(.alreadyAnswered, "the request was cancelled")
    case let state: .local(.alreadyAnswered, "the request was already answered: \(state.name)")
    }
  }
}

extension Session {
  /// Submits a decision.
  ///
  /// With `--wait`, a decision that has not reached the platform yet does not count as a failure.
  func decide<Method: ControlMethod>(
    _ method: Method,
    about id: String
  ) throws(Failure) -> Reply<NotificationResult> where Method.Result == NotificationResult {
    do { return try reply(to: method) } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .serverError, .noConnectivity) else {
        throw error
      }
      // If the platform refused the decision, the request is pending again. The daemon retries a decision
      // that did not reach the platform.
      guard let reply = try? reply(to: NotificationGet(notification: id)),
        let notification = try? reply.value.notification, notification.state != .pending
      else { throw error }
      if arguments.has("--wait") || notification.isSettled { return reply }
      output.note("the daemon keeps the answer and retries until the request expires")
      throw error
    }
  }

  /// Prints the result of a decision; with `--wait`, first waits until the platform has the decision.
  func show(_ decision: RequestedDecision, _ reply: Reply<NotificationResult>) throws(Failure) {
    var (reply, answer) = (reply, try reply.value)
    if arguments.has("--wait"), answer.notification.state == .sending {
      answer = NotificationResult(
        try settled(answer.notification.id),
        confirmationInfo: answer.confirmationInfo,
        lock: answer.lock
      )
      reply = Reply(answer)
    }
    if let failure = decision.failure(answer.notification) { throw failure }
    try output.result(reply) { answer in
      let notification = answer.notification
      let unsent: SafeText = notification.state == .sending ? ", on its way to the platform" : ""
      let reason = NotificationText.reason(notification.answer).map { ", \($0)" as SafeText } ?? ""
      let confirmation = answer.confirmationInfo.map { [Describe.value($0)] } ?? []
      let lock = answer.lock.map { ["the account is locked now \(LockText.words($0))" as SafeText] } ?? []
      let result: SafeText = "\(decision.rawValue): \(NotificationText.name(notification))\(reason)\(unsent)"
      let lines = output.isTerminal ? Wrapping.lines(result, width: output.width) : [result]
      return lines + confirmation + lock
    }
  }

  private func settled(_ id: String) throws(Failure) -> NotificationObject {
    let deadline = waitDeadline
    let daemon = try daemon()
    try daemon.subscribe(to: [.notification])
    // The state may have changed before the subscription, or in lost events.
    var notification = try current(id)
    while !notification.isSettled {
      guard let event = try daemon.nextEvent(until: deadline) else {
        throw .local(
          .timedOut,
          "the answer did not reach the platform in time",
          hint: "the daemon retries until the request expires"
        )
      }
      if event.saysLost {
        notification = try current(id)
      } else if let changed: NotificationObject = event.changed(.notification), changed.id == id {
        notification = changed
      }
    }
    return notification
  }

  private func current(_ id: String) throws(Failure) -> NotificationObject {
    try call(NotificationGet(notification: id)).notification
  }
}
