internal import ControlAPI
internal import ControlClient

/// Changes in text form.
enum EventText {
  /// Returns a change with its topic.
  static func changes(_ event: Event) -> [SafeText] { ["\(event.topic)  \(line(event))"] }

  /// Returns the new state of an object in one line; an unknown event as its JSON.
  static func line(_ event: Event) -> SafeText {
    if let notification: NotificationObject = event.changed(.notification) {
      return NotificationText.line(notification)
    }
    if let pairing: PairingRequest = event.changed(.pairing) {
      return "\(PairingText.target(pairing))  waits  \(Describe.short(pairing.id))"
    }
    if let code: AuthenticationObject = event.changed(.authentication) {
      let users = code.users.map { Describe.user($0) }.joined(separator: ", ")
      return "\(users)  \(status(code))  \(Describe.short(code.id))"
    }
    if let account: Account = event.changed(.account) {
      return AccountText.lines([account]).joined(separator: "")
    }
    if event.saysLost, let lost = try? LostEvents(reading: event.payload) {
      return "(\(lost.count) changes were lost)"
    }
    return SafeText(event.payload)
  }

  private static func status(_ code: AuthenticationObject) -> SafeText {
    code.status == .claimed ? "waits" : "\(code.status.name.lowercased())"
  }
}

extension Session {
  /// Prints each change as JSON or as text, until the limit of `--timeout`, if there is one.
  func watchChanges(_ words: (Event) -> [SafeText]) throws(Failure) {
    let deadline = watchDeadline
    let daemon = try daemon()
    while let event = try nextChange(of: daemon, until: deadline) {
      try output.result(event.reply) { _ in words(event) }
    }
    throw .watched
  }

  func nextChange(of daemon: DaemonConnection, until deadline: Deadline) throws(Failure) -> Event? {
    do { return try daemon.nextEvent(until: deadline) } catch {
      // No call is in flight, so the general message about a missing response does not apply.
      guard case .failed(let complaint) = error, complaint.reason == .unreachable else { throw error }
      throw .local(.unreachable, "the daemon closed the connection", hint: complaint.hint)
    }
  }
}

extension Failure {
  static let watched = local(
    .timedOut,
    "the time limit of --timeout has expired",
    hint: "without --timeout the command runs until Ctrl-C"
  )
}
