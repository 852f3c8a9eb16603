internal import JSON

extension Session {
  /// The notification that is to be answered: the one that was named, the only one, or the next one to come.
  ///
  /// One that was named is fetched only to be shown.
  func notificationToAnswer() throws(Failure) -> Notification {
    if let id = arguments.words.first {
      let known: JSON = ["id": .string(id), "state": "pending"]
      guard terminal != nil else { return Notification(json: known) }
      return Notification(
        json: try call("notification.get", ["notification": .string(id)])["notification"] ?? known
      )
    }
    let waits = arguments.has("--wait")
    if waits { try daemon().subscribe(to: ["notification"]) }
    if let notification = try onlyPending() { return notification }
    guard waits else {
      throw .local(.notFound, "no request is pending", hint: "--wait waits for the next one")
    }
    if output.showsProgress { output.note("waiting for a request") }
    return try nextPending(until: waitDeadline)
  }

  private func onlyPending() throws(Failure) -> Notification? {
    let result = try call("notification.list", ["state": "pending"])
    let pending = (result["notifications"]?.array ?? []).map(Notification.init).filter(\.canBeAnswered)
    guard pending.count > 1 else { return pending.first }
    throw .local(
      .ambiguous,
      "several requests are pending",
      hint: "name one by its id",
      list: Columns.lines(pending.map(\.row)),
      details: ["notifications": .array(pending.map(\.json))]
    )
  }

  private func nextPending(until deadline: Deadline) throws(Failure) -> Notification {
    while let event = try daemon().nextEvent(until: deadline) {
      if event.saysLost, let notification = try onlyPending() { return notification }
      let notification = Notification(json: event.payload)
      if event.topic == "notification", notification.canBeAnswered { return notification }
    }
    throw .local(.timedOut, "no request came in time")
  }
}
