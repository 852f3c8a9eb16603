internal import Configuration
internal import ControlAPI
internal import ControlClient
internal import EventLoop
internal import Journal
internal import Time

/// The pending requests of the owner, as the daemon reports them.
@EventLoop
final class Requests {
  /// Called after each possible change.
  var onChange: (@EventLoop () -> Void)?

  /// The pending requests, oldest first.
  private(set) var waiting: [NotificationObject] = []
  private(set) var standing = OwnerStanding()
  /// The accounts that the requests belong to.
  private(set) var accounts: [Account] = []

  private let link: DaemonLink
  /// True if the subscription to events is active or in flight.
  private var isSubscribed = false
  private var expiry: Timer?
  private var retrying: Timer?

  private static let patience = Duration.seconds(10)

  init(_ link: DaemonLink) {
    self.link = link
    link.onUp = { [weak self] in self?.begin() }
    link.onEvent = { [weak self] in self?.take($0) }
  }

  /// Stores the new state of a request.
  func take(_ request: NotificationObject) {
    waiting.removeAll { $0.id == request.id }
    if request.canBeAnswered { waiting.append(request) }
    changed()
  }

  /// Loads everything from the daemon, and retries if the daemon refuses.
  func reload() {
    if !isSubscribed { subscribe() }
    link.call(ServiceStatus()) { [weak self] in
      guard let self, case .success(let report) = $0 else { return }
      standing = OwnerStanding(report)
      changed()
    }
    // The accounts are loaded before the requests, because notifications show the account's name.
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
      // If the connection was lost, the next connection reloads everything.
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
    // A service event may report an unlock. After it the daemon returns requests with their contents.
    if event.saysLost || event.topic == EventTopic.service.rawValue { reload() }
  }

  private func take(_ account: Account) {
    accounts.removeAll { $0.id == account.id }
    if account.state != .removed { accounts.append(account) }
    changed()
  }

  /// Drops expired requests, even while the daemon is unavailable, and reports the change.
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

/// The restrictions on approvals by button.
struct OwnerStanding: Equatable {
  /// True if contents and approvals require the PIN first.
  var isLocked = false
  /// True if too many wrong PINs have disabled the PIN.
  var isDisabled = false
  /// True if every approval requires user presence.
  var wantsPresence = false

  init() {}

  init(_ report: ServiceStatusReport) {
    isDisabled = report.protection.pin == .disabled
    isLocked = isDisabled || report.protection.pin == .locked
    wantsPresence = report.presence?.requirement == .all
  }
}
