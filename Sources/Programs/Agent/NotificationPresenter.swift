internal import Bus
internal import ControlAPI
internal import ControlClient
internal import EventLoop
internal import Journal

/// Shows one notification for each pending request.
///
/// Every change runs the same update: it computes the wanted notifications, then closes or shows the
/// differences. Calls to the server run one after another, so that no notification appears twice.
@EventLoop
final class NotificationPresenter {
  enum Subject: Hashable {
    case request(String)
    /// Replaces all requests while the session is locked: at least one request is pending.
    case anything
    case notice(Int)
  }

  private struct Shown {
    let number: UInt32
    let popup: Popup
  }

  private let server: NotificationServer
  private let requests: Requests
  private let lock: SessionLock
  private let answers: Answers
  private var shown: [Subject: Shown] = [:]
  /// The subjects of the latest notifications, so that a late press finds its subject.
  private var history = History()
  /// The subjects that the user dismissed.
  private var dismissed: Set<Subject> = []
  private var notices: [(number: Int, popup: Popup)] = []
  private var lastNotice = 0
  private var backOff = BackOff(from: .milliseconds(500), to: .seconds(60))
  private var settling: Task<Void, Never>?
  private var settlesAgain = false
  private var hasEnded = false

  private static let mostNotices = 4
  private static let noticeTime = Duration.seconds(10)

  init(_ server: NotificationServer, _ requests: Requests, _ link: DaemonLink, _ lock: SessionLock) {
    (self.server, self.requests, self.lock) = (server, requests, lock)
    answers = Answers(requests, link)
    answers.onChange = { [weak self] in self?.settle() }
    answers.onNotice = { [weak self] in self?.say($0) }
    requests.onChange = { [weak self] in self?.settle() }
    lock.onChange = { [weak self] in
      self?.dismissed.remove(.anything)
      self?.settle()
    }
    server.onReplaced = { [weak self] in
      self?.shown = [:]
      self?.history = History()
      self?.settle()
    }
    server.onPress = { [weak self] in self?.press($0, $1) }
    server.onClosed = { [weak self] in self?.closed($0, byPerson: $1) }
  }

  /// Closes all notifications permanently, including one that the server has not yet shown.
  func clear() async {
    hasEnded = true
    await settling?.value
    for item in shown.values { await server.close(item.number) }
  }

  private func press(_ number: UInt32, _ key: String) {
    // The server also reports presses on other programs' notifications. On a locked session, anyone at the
    // machine could press a button.
    guard let (subject, presses) = history[number], lock.isLocked == false,
      case .request(let id) = subject, let press = presses.first(where: { $0.key == key })
    else { return }
    dismissed.remove(subject)
    if shown[subject]?.number == number {
      // Servers close a notification when a button is pressed. This is not a dismissal by the user.
      shown[subject] = nil
      EventLoop.task { [server] in await server.close(number) }
    }
    answers.give(press, to: id)
  }

  /// Handles a closed notification.
  ///
  /// If the user did not close it, the notification reappears, but only at the next change: an immediate
  /// reappearance could cause an endless loop.
  private func closed(_ number: UInt32, byPerson: Bool) {
    guard let (subject, _) = history[number], shown[subject]?.number == number else { return }
    let isBrief = shown[subject]?.popup.isBrief == true
    shown[subject] = nil
    guard byPerson || isBrief else { return }
    dismissed.insert(subject)
    // An update in progress may be about to show this notification again.
    settle()
  }

  /// Shows a notice for a limited time.
  private func say(_ text: SafeText) {
    lastNotice += 1
    let number = lastNotice
    notices = notices.suffix(Self.mostNotices - 1) + [(number, .notice(text))]
    EventLoop.after(Self.noticeTime) { [weak self] in
      self?.notices.removeAll { $0.number == number }
      self?.settle()
    }
    settle()
  }

  private func settle() {
    settlesAgain = true
    guard settling == nil else { return }
    settling = EventLoop.task { [self] in
      while settlesAgain, !hasEnded {
        settlesAgain = false
        do throws(BusError) {
          try await settleOnce()
          backOff.reset()
        } catch {
          if shown.isEmpty {
            Journal.warning("cannot show notifications: no notification server works")
          } else {
            Journal.warning("cannot show every notification: the notification server refused one")
          }
          EventLoop.after(backOff.next()) { [weak self] in self?.settle() }
        }
      }
      settling = nil
    }
  }

  private func settleOnce() async throws(BusError) {
    guard let isLocked = lock.isLocked, !requests.waiting.isEmpty || !notices.isEmpty || !shown.isEmpty
    else { return }
    let hasButtons = try await server.capabilities().hasButtons
    let wanted = wanted(isLocked: isLocked, hasButtons: hasButtons)
    for (subject, item) in shown where !wanted.contains(where: { $0.subject == subject }) {
      shown[subject] = nil
      await server.close(item.number)
    }
    var failure: BusError?
    for (subject, popup) in wanted where shown[subject]?.popup != popup {
      // If something changed meanwhile, this notification may be unwanted: the next update computes again.
      guard !settlesAgain, !hasEnded else { return }
      do throws(BusError) {
        let number = try await server.show(popup, replacing: shown[subject]?.number ?? 0)
        shown[subject] = Shown(number: number, popup: popup)
        history.remember(number, subject, popup.presses)
      } catch {
        // A refused notification does not prevent the others.
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func wanted(isLocked: Bool, hasButtons: Bool) -> [(subject: Subject, popup: Popup)] {
    let open = requests.waiting.filter { !answers.isGiven(to: $0.id) }
    dismissed = dismissed.filter { subject in
      switch subject {
      case .request(let id): requests.waiting.contains { $0.id == id }
      case .anything: !requests.waiting.isEmpty
      case .notice(let number): notices.contains { $0.number == number }
      }
    }
    let all: [(subject: Subject, popup: Popup)] =
      if isLocked {
        open.isEmpty ? [] : [(.anything, .locked)]
      } else {
        open.map { request in
          let note = answers.note(about: request.id)
          let popup = Popup.request(
            request,
            requests.standing,
            among: requests.accounts,
            note: note,
            hasButtons: hasButtons
          )
          return (.request(request.id), popup)
        } + notices.map { (.notice($0.number), $0.popup) }
      }
    return all.filter { !dismissed.contains($0.subject) }
  }
}

/// The subjects and buttons of the latest notifications, by their number.
struct History {
  private var entries: [UInt32: (NotificationPresenter.Subject, [Popup.Press])] = [:]
  private var order: [UInt32] = []

  private static let most = 256

  subscript(number: UInt32) -> (NotificationPresenter.Subject, [Popup.Press])? { entries[number] }

  mutating func remember(_ number: UInt32, _ subject: NotificationPresenter.Subject, _ presses: [Popup.Press])
  {
    if entries.updateValue((subject, presses), forKey: number) == nil { order.append(number) }
    if order.count > Self.most { entries[order.removeFirst()] = nil }
  }
}
