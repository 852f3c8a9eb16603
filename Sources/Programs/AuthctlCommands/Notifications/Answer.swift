internal import JSON

/// A decision about a notification.
enum Answer: String {
  case approved
  case denied

  /// The failure that the final state of a notification is for whoever decided so; `nil` for what was decided.
  func failure(_ notification: Notification) -> Failure? {
    switch notification.state {
    case rawValue, "pending", "sending", "": nil
    case "denied": .local(.denied, "the request was denied")
    case "expired": .local(.expired, "the request expired before the answer arrived")
    case "cancelled": .local(.alreadyAnswered, "the request was cancelled")
    case let state: .local(.alreadyAnswered, "the request was answered elsewhere: \(state)")
    }
  }
}

extension Session {
  /// Hands in a decision; with `--wait` one that the platform has not heard yet is no failure but on its way.
  func decide(_ method: String, _ params: JSONObject, about id: String) throws(Failure) -> JSON {
    do { return try call(method, params) } catch {
      guard case .refused(let refusal) = error, refusal.isUnheard else { throw error }
      // What the platform refused was taken back; what it did not hear the daemon sends again by itself.
      guard let notification = try? current(id), notification.state != "pending" else { throw error }
      if arguments.has("--wait") || notification.isSettled { return ["notification": notification.json] }
      output.note("the daemon keeps the answer and sends it again until the request is over")
      throw error
    }
  }

  /// Prints what became of an answer, with `--wait` after it has reached the platform.
  func show(_ answer: Answer, _ result: JSON, of id: String) throws(Failure) {
    var result = result
    var notification = Notification(json: result["notification"] ?? [:])
    if arguments.has("--wait"), notification.state == "sending" {
      notification = try settled(id)
      if var object = result.object {
        object["notification"] = notification.json
        result = .object(object)
      }
    }
    if let failure = answer.failure(notification) { throw failure }
    try output.result(result) { result in
      let unsent: SafeText = notification.state == "sending" ? ", on its way to the platform" : ""
      let reason =
        NotificationText.reason(notification.json["answer"]?["reason"]).map { ", \($0)" as SafeText } ?? ""
      let confirmation = result["confirmationInfo"].map { [Describe.value($0)] } ?? []
      let lock = LockText.words(result["lock"]).map { ["the account is locked now \($0)" as SafeText] } ?? []
      return ["\(answer.rawValue) \(id)\(reason)\(unsent)"] + confirmation + lock
    }
  }

  private func settled(_ id: String) throws(Failure) -> Notification {
    let deadline = waitDeadline
    let daemon = try daemon()
    try daemon.subscribe(to: ["notification"])
    // It may have been settled before the subscription, and whenever events were lost.
    var notification = try current(id)
    while !notification.isSettled {
      guard let event = try daemon.nextEvent(until: deadline) else {
        throw .local(
          .timedOut,
          "the answer has not reached the platform in time",
          hint: "the daemon goes on trying"
        )
      }
      if event.saysLost {
        notification = try current(id)
      } else if event.topic == "notification", event.payload["id"]?.string == id {
        notification = Notification(json: event.payload)
      }
    }
    return notification
  }

  private func current(_ id: String) throws(Failure) -> Notification {
    Notification(json: try call("notification.get", ["notification": .string(id)])["notification"] ?? [:])
  }
}

extension Refusal {
  /// Whether the platform did not hear what was asked of it, or nobody knows.
  var isUnheard: Bool { code == Self.platformFailed || code == Self.unreachablePlatform }
}
