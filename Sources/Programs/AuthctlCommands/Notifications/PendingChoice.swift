internal import ControlAPI
internal import ControlClient
internal import Usage

struct Pending {
  let id: String
  /// The notification, if it was loaded.
  var notification: NotificationObject?
}

extension Session {
  /// Answers the notification with the given id or, without an id, the only or chosen pending notification.
  ///
  /// The beginning of an id is enough. If none is pending, `--wait` waits for the next notification.
  func answer(_ body: (Pending) throws(Failure) -> Void) throws(Failure) {
    let pending = try notificationToAnswer()
    guard pending.notification == nil else { return try body(pending) }
    try resolving(pending.id, among: answerable, by: Self.naming) { (id) throws(Failure) in
      try body(Pending(id: id))
    }
  }

  /// Returns the pending notifications that can be answered.
  func answerable() throws(Failure) -> [NotificationObject] {
    try call(NotificationList(state: .pending)).filter(\.canBeAnswered)
  }

  private static let naming = NameMatcher<NotificationObject>(id: { $0.id }, row: NotificationText.row)

  /// Loads a named notification only if there is a terminal to show it.
  private func notificationToAnswer() throws(Failure) -> Pending {
    let waits = arguments.has("--wait")
    // Subscribe before the question: an event ends the question if another device answers the request.
    if terminal != nil || (waits && arguments.words.isEmpty) { try daemon().subscribe(to: [.notification]) }
    if let id = arguments.words.first {
      guard terminal != nil else { return Pending(id: id) }
      return try resolving(id, among: answerable, by: Self.naming) { (id) throws(Failure) in
        Pending(id: id, notification: try call(NotificationGet(notification: id)).notification)
      }
    }
    if let notification = try onlyPending() { return notification }
    if try receivesNoRequests() {
      throw .local(
        waits ? .notConfigured : .notFound,
        Self.noRequests,
        hint: Failure.Reason.notConfigured.hint
      )
    }
    guard waits else {
      throw .local(.notFound, "no request is pending", hint: "--wait waits for the next one")
    }
    if output.showsProgress { output.note("waiting for a request") }
    return try nextPending(until: waitDeadline)
  }

  /// The reason that no request can arrive.
  static let noRequests: SafeText =
    "no request can reach this machine: there is no platform and no push account"

  /// True if no request can arrive: no platform is configured, and no account has pushes.
  ///
  /// A relay carries only the pushes of such an account.
  func receivesNoRequests() throws(Failure) -> Bool {
    let status = try call(ServiceStatus())
    guard status.platform.url.isEmpty, status.misconfigured == nil else { return false }
    return try !call(AccountList()).contains { $0.authenticators.contains { $0.type == "PUSH" } }
  }

  private func onlyPending() throws(Failure) -> Pending? {
    let pending = try answerable()
    guard pending.count > 1 else { return pending.first.map { Pending(id: $0.id, notification: $0) } }
    if let picked = try pick(pending, "which request?", NotificationText.row) {
      return Pending(id: picked.id, notification: picked)
    }
    throw .local(
      .ambiguous,
      "several requests are pending",
      hint: "add the id of a request, or the beginning of its id",
      list: Columns.lines(pending.map(NotificationText.row)),
      details: NotificationList.json(of: pending)
    )
  }

  private func nextPending(until deadline: Deadline) throws(Failure) -> Pending {
    while let event = try daemon().nextEvent(until: deadline) {
      if event.saysLost, let notification = try onlyPending() { return notification }
      if let notification: NotificationObject = event.changed(.notification), notification.canBeAnswered {
        return Pending(id: notification.id, notification: notification)
      }
    }
    throw .local(.timedOut, "no request arrived in time")
  }
}
