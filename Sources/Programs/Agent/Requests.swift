internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import EventLoop
internal import Journal
internal import Time

/// The requests that wait for their owner's word, as the daemon tells it.
@EventLoop
final class Requests {
  /// Is called when something may have changed.
  var onChange: (@EventLoop () -> Void)?

  /// Those that came first stand first.
  private(set) var waiting: [NotificationObject] = []
  private(set) var standing = OwnerStanding()
  /// Whose requests these can be.
  private(set) var accounts: [Account] = []

  private let link: DaemonLink
  /// Whether the daemon tells changes, or was asked to.
  private var isSubscribed = false
  private var expiry: Timer?
  private var retrying: Timer?

  private static let patience = Duration.seconds(10)

  init(_ link: DaemonLink) {
    self.link = link
    link.onUp = { [weak self] in self?.begin() }
    link.onEvent = { [weak self] in self?.take($0) }
  }

  /// Takes over how a request stands now.
  func take(_ request: NotificationObject) {
    waiting.removeAll { $0.id == request.id }
    if request.canBeAnswered { waiting.append(request) }
    changed()
  }

  /// Asks the daemon for everything, once more if it cannot tell.
  func reload() {
    if !isSubscribed { subscribe() }
    link.call(ServiceStatus()) { [weak self] in
      guard let self, case .success(let report) = $0 else { return }
      standing = OwnerStanding(report)
      changed()
    }
    // Before the requests, which are shown with what their account is called.
    link.call(AccountList()) { [weak self] in
      guard let self, case .success(let list) = $0 else { return }
      accounts = list
      changed()
    }
    link.call(NotificationList(state: .pending)) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let pending):
        waiting = pending.reversed().filter(\.canBeAnswered)
        changed()
      case .failure(.refused):
        Journal.warning("the daemon refused to list the pending requests")
        retry()
      // There will be another connection.
      case .failure: break
      }
    }
  }

  private func begin() {
    isSubscribed = false
    reload()
  }

  private func subscribe() {
    isSubscribed = true
    link.call(EventSubscribe(topics: [.notification, .account, .service])) { [weak self] outcome in
      guard let self, case .failure(.refused) = outcome else { return }
      Journal.warning("the daemon refused the subscription to changes")
      isSubscribed = false
      retry()
    }
  }

  private func retry() {
    retrying?.cancel()
    retrying = EventLoop.after(Self.patience) { [weak self] in self?.reload() }
  }

  private func take(_ event: Event) {
    if let request: NotificationObject = event.changed(.notification) { return take(request) }
    if let account: Account = event.changed(.account) { return take(account) }
    // With the PIN given, requests say what they are about.
    if event.saysLost || event.topic == EventTopic.service.rawValue { reload() }
  }

  private func take(_ account: Account) {
    accounts.removeAll { $0.id == account.id }
    if account.state != .removed { accounts.append(account) }
    changed()
  }

  /// What is over is dropped, also while there is no daemon to say so.
  private func changed() {
    let now = TimeSource.system.now()
    waiting.removeAll { $0.expiresAt.seconds(since: now) < 0 }
    expiry?.cancel()
    if let next = waiting.map({ $0.expiresAt.seconds(since: now) }).min() {
      expiry = EventLoop.after(.seconds(next + 1)) { [weak self] in self?.changed() }
    }
    onChange?()
  }
}

/// What an owner may do now without more than a button.
struct OwnerStanding: Equatable {
  /// Nothing may be told or approved without the PIN.
  var isLocked = false
  /// The PIN was wrong too often to be given any more.
  var isDisabled = false
  /// Every approval wants the person verified.
  var wantsPresence = false

  init() {}

  init(_ report: ServiceStatusReport) {
    isDisabled = report.protection.pin == .disabled
    isLocked = isDisabled || report.protection.pin == .locked
    wantsPresence = report.presence?.requirement == .all
  }
}
