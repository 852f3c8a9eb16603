internal import ControlAPI
internal import ControlClient
internal import EventLoop
internal import JSONRPC

/// Sends the decisions of pressed buttons to the daemon.
@EventLoop
final class Answers {
  /// Called when a decision is sent or completed.
  var onChange: (@EventLoop () -> Void)?
  /// Called with a message about a request that is no longer shown.
  var onNotice: (@EventLoop (SafeText) -> Void)?

  private let requests: Requests
  private let link: DaemonLink
  private var given: Set<String> = []
  /// The error of the last answer to each pending request, by the id of the request.
  private var notes: [String: SafeText] = [:]

  init(_ requests: Requests, _ link: DaemonLink) { (self.requests, self.link) = (requests, link) }

  /// True if a decision about the request is in flight.
  func isGiven(to id: String) -> Bool { given.contains(id) }

  /// Returns the error of the last answer to the request, if it failed.
  func note(about id: String) -> SafeText? { notes[id] }

  /// Sends a decision about the request, unless one is in flight.
  func give(_ press: Popup.Press, to id: String) {
    guard !given.contains(id) else { return }
    guard requests.waiting.contains(where: { $0.id == id }) else { return over() }
    given.insert(id)
    notes = notes.filter { note in note.key != id && requests.waiting.contains { $0.id == note.key } }
    onChange?()
    switch press {
    case .approve(let number): call(NotificationApprove(notification: id, number: number), about: id)
    case .deny: call(NotificationDeny(notification: id), about: id)
    case .report: call(NotificationDeny(notification: id, reason: "REPORT_FRAUD"), about: id)
    }
  }

  private func call<Method: ControlMethod>(_ method: Method, about id: String)
  where Method.Result == NotificationResult {
    link.call(method) { [weak self] in self?.end(id, $0) }
  }

  private func end(_ id: String, _ outcome: Result<NotificationResult, Failure>) {
    given.remove(id)
    switch outcome {
    case .success(let result): requests.take(result.notification)
    case .failure(.refused(let refusal)): end(id, refusal)
    case .failure(.failed(let complaint)): notes[id] = "your answer failed: \(complaint.message)"
    case .failure: notes[id] = "your answer failed"
    }
    onChange?()
  }

  private func end(_ id: String, _ refusal: DaemonError) {
    if [.expired, .answeredElsewhere, .notFound].contains(refusal.error.exitCode) {
      over()
    } else if refusal.triesLeft == 0 {
      // The wrong number counted as a denial: the request is no longer pending.
      onNotice?(refusal.message)
    } else {
      // If the decision did not reach the platform, the daemon retries it. The request is then no longer
      // pending, so a notice shows the error.
      notes[id] = refusal.hint.map { "\(refusal.message): \($0)" } ?? refusal.message
      if refusal.isOne(of: .serverError, .noConnectivity) { onNotice?(refusal.message) }
    }
    requests.reload()
  }

  private func over() { onNotice?("this request has ended: your answer was not sent") }
}
