internal import ControlAPI
internal import ControlClient
internal import EventLoop
internal import JSONRPC

/// The decisions that were pressed, on their way to the daemon.
@EventLoop
final class Answers {
  /// Is called when one is given or has come to its end.
  var onChange: (@EventLoop () -> Void)?
  /// Is given what a person should hear of a request that is not there to be shown again.
  var onNotice: (@EventLoop (SafeText) -> Void)?

  private let requests: Requests
  private let link: DaemonLink
  private var given: Set<String> = []
  /// Why an answer was not taken, by the request that still waits.
  private var notes: [String: SafeText] = [:]

  init(_ requests: Requests, _ link: DaemonLink) { (self.requests, self.link) = (requests, link) }

  /// Whether one is on its way.
  func isGiven(to id: String) -> Bool { given.contains(id) }

  /// What went wrong with the last one.
  func note(about id: String) -> SafeText? { notes[id] }

  /// Hands a decision in, unless one is on its way.
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
      // The wrong number was a denial, and the request waits no more.
      onNotice?(refusal.message)
    } else {
      // Where it has not reached the platform the daemon keeps it, and the request waits no more.
      notes[id] = refusal.hint.map { "\(refusal.message): \($0)" } ?? refusal.message
      if refusal.isOne(of: .serverError, .noConnectivity) { onNotice?(refusal.message) }
    }
    requests.reload()
  }

  private func over() { onNotice?("this request has ended: your answer was not sent") }
}
