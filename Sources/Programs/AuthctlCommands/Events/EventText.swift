internal import JSON

/// Changes as a person reads them.
enum EventText {
  /// How a thing stands now, in one line.
  static func line(_ event: Event) -> SafeText {
    let payload = event.payload
    return switch event.topic {
    case "notification": Notification(json: payload).row.joined(separator: "  ")
    case "pairing": "\(Describe.value(payload["id"]))  waits: \(PairingText.target(payload))"
    case "authentication":
      "\(Describe.value(payload["id"]))  \(status(payload["status"]))  \(people(payload["users"]))"
    case "account": AccountList.lines([payload]).first ?? "-"
    case "lost": lost(payload)
    default: SafeText(payload)
    }
  }

  /// That changes are missing.
  static func lost(_ payload: JSON) -> SafeText { "(\(Describe.value(payload["count"])) changes were lost)" }

  private static func status(_ status: JSON?) -> SafeText {
    status == "CLAIMED" ? "waits" : "\(Describe.value(status).text.lowercased())"
  }

  private static func people(_ users: JSON?) -> SafeText {
    (users?.array ?? []).map { Describe.user($0) }.joined(separator: ", ")
  }
}

extension Session {
  /// Prints each change as it comes, as a line of JSON or in the words given, until the time to watch is over.
  func watchChanges(_ words: (Event) -> [SafeText]) throws(Failure) {
    let deadline = watchDeadline
    let daemon = try daemon()
    while let event = try nextChange(of: daemon, until: deadline) {
      try output.result(event.params) { _ in words(event) }
    }
    throw .local(.timedOut, "watched for as long as was asked")
  }

  private func nextChange(of daemon: DaemonConnection, until deadline: Deadline) throws(Failure) -> Event? {
    do { return try daemon.nextEvent(until: deadline) } catch {
      // Nothing was asked that could have been left without an answer.
      guard case .failed(let complaint) = error, complaint.reason == .unreachable else { throw error }
      throw .local(.unreachable, "the daemon went away", hint: complaint.hint)
    }
  }
}
