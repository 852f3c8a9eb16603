internal import ControlAPI
internal import ControlClient
internal import Time

/// The user's answer to a request.
enum RequestAnswer {
  case approve(number: Int?)
  /// A denial with its reason for the platform.
  case deny(String)
  case later
}

/// Asks for the decision about a request that is shown, until the user answers or another device has
/// answered.
struct RequestPrompt {
  let session: Session
  let terminal: Terminal
  let notification: NotificationObject
  /// Receives events about other requests during the question.
  var others: (Event) -> Void = { _ in }

  var wantsNumber: Bool { notification.wantsNumber }

  /// Returns the user's answer; `nil` at the end of input.
  func answer() throws(Failure) -> RequestAnswer? {
    let daemon = try session.daemon()
    while true {
      let typed = try terminal.ask(question, beside: daemon.number, countdown: countdown) {
        () throws(Failure) in
        while let event = try daemon.nextEvent(until: .after(.zero)) { try look(at: event) }
      }
      guard let typed else { return nil }
      if let answer = read(typed.lowercased()) { return answer }
      terminal.show([
        wantsNumber ? "enter the number, deny, report or later" : "enter approve, deny, report or later"
      ])
    }
  }

  /// The time that is left for an answer, in minutes and seconds; `nil` if none is left.
  private func countdown() -> SafeText? {
    let seconds = notification.expiresAt.seconds(since: TimeSource.system.now())
    return seconds > 0 ? "[\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)]" : nil
  }

  private var question: SafeText {
    wantsNumber
      ? "number shown where you sign on; or deny, report, later" : "approve, deny, report or later? [a/d/r/L]"
  }

  private func read(_ text: String) -> RequestAnswer? {
    switch text {
    case "a", "approve", "y", "yes": return wantsNumber ? nil : .approve(number: nil)
    case "d", "deny": return .deny("NONE")
    case "r", "report": return .deny("REPORT_FRAUD")
    case "l", "later": return .later
    case "": return wantsNumber ? nil : .later
    default:
      let number = MatchedNumber.read(text.filter { $0 != " " })
      return wantsNumber ? number.map { .approve(number: $0) } : nil
    }
  }

  /// Ends the question, by throwing, if the request has been answered or can no longer be answered.
  private func look(at event: Event) throws(Failure) {
    let changed: NotificationObject? = event.changed(.notification)
    if changed?.id != notification.id { others(event) }
    guard event.saysLost || (changed?.id == notification.id && changed?.state != .pending) else { return }
    // The event may result from this user's own answer with a wrong number.
    let now = try session.call(NotificationGet(notification: notification.id)).notification
    switch now.state {
    case .known(.pending): return
    case .known(.expired): throw .local(.expired, "the request expired")
    case .known(.cancelled): throw .local(.alreadyAnswered, "the request was cancelled")
    case let state: throw .local(.alreadyAnswered, "the request was already answered: \(state.name)")
    }
  }
}

extension MatchedNumber {
  static func read(_ text: String) -> Int? { Int(text).flatMap { range.contains($0) ? $0 : nil } }
}

extension Session {
  /// Shows the request with its account on the terminal.
  func showRequest(_ pending: Pending) throws(Failure) {
    guard let terminal, let notification = pending.notification else { return }
    terminal.showRows(NotificationText.description(notification, among: try call(AccountList())))
  }

  /// Returns the question about a request; `nil` without a terminal or if it cannot be answered.
  func prompt(about pending: Pending) -> RequestPrompt? {
    guard let terminal, let notification = pending.notification, notification.canBeAnswered else {
      return nil
    }
    return RequestPrompt(session: self, terminal: terminal, notification: notification)
  }
}

/// A queue of pending requests, each once, oldest first.
struct RequestQueue {
  private var waiting: [NotificationObject] = []
  private var seen: Set<String> = []

  /// Creates a queue of the pending requests, which `standing` lists newest first.
  init(_ standing: [NotificationObject]) { add(standing) }

  /// True if the change is shown by the question about its request, or by the answer to it.
  func shows(_ event: Event) -> Bool {
    guard let changed: NotificationObject = event.changed(.notification) else { return false }
    let isNews = changed.state == .expired || changed.state == .cancelled
    return changed.canBeAnswered || (seen.contains(changed.id) && !isNews)
  }

  mutating func next() -> NotificationObject? { waiting.isEmpty ? nil : waiting.removeFirst() }

  mutating func add(_ list: [NotificationObject]) {
    for notification in list.reversed() { add(notification) }
  }

  /// Adds a new request, or removes one that is no longer pending.
  mutating func add(_ event: Event) {
    guard let changed: NotificationObject = event.changed(.notification) else { return }
    if changed.canBeAnswered { add(changed) } else { waiting.removeAll { $0.id == changed.id } }
  }

  private mutating func add(_ notification: NotificationObject) {
    if seen.insert(notification.id).inserted { waiting.append(notification) }
  }
}
