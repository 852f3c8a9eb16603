internal import ControlAPI
internal import ControlClient

/// Shows each new request and asks about it.
///
/// A request is one block and one result: other changes of the request are not printed.
/// Events that arrive during a question are handled after it.
final class WatchDialogue {
  private let session: Session
  private let terminal: Terminal
  private var requests: RequestQueue
  /// Events that arrived during a question and are not printed yet.
  private var held: [Event] = []

  init(_ session: Session, _ terminal: Terminal) throws(Failure) {
    (self.session, self.terminal) = (session, terminal)
    requests = RequestQueue(try session.answerable())
  }

  func run() throws(Failure) {
    let deadline = session.watchDeadline
    let daemon = try session.daemon()
    while true {
      while let request = requests.next() { try ask(about: request) }
      guard let event = try session.nextChange(of: daemon, until: deadline) else {
        throw .watched
      }
      try take(event)
    }
  }

  private func take(_ event: Event) throws(Failure) {
    if !requests.shows(event) { try session.output.result(event.reply) { _ in EventText.changes(event) } }
    if event.saysLost { requests.add(try session.answerable()) } else { requests.add(event) }
  }

  private func ask(about request: NotificationObject) throws(Failure) {
    let pending = Pending(id: request.id, notification: request)
    try session.showRequest(pending)
    guard var prompt = session.prompt(about: pending) else { return }
    prompt.others = { [self] in held.append($0) }
    do throws(Failure) {
      guard var answer = try prompt.answer() else { throw Session.undecided(pending) }
      while let next = try session.settle(pending, answer, prompt) { answer = next }
    } catch {
      // Print the error of a single request and continue; rethrow errors that concern the connection or the
      // program.
      switch error {
      case .interrupted: throw error
      case .failed(let complaint) where [.unreachable, .notTheDaemon].contains(complaint.reason): throw error
      default: session.output.report(error)
      }
    }
    let happened = held
    held = []
    for event in happened { try take(event) }
  }
}
