public import Accounts
internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import Settings
public import Time
public import Vault

/// The requests for decisions of all owners, from all approvers.
@EventLoop
public final class Approvals {
  let core: Core
  public let accounts: Accounts
  let table: ApprovalTable
  public let presence: PresenceCheck
  private var approvers: [String: any Approver] = [:]
  /// The readers of pushes, one for each kind.
  private(set) var readers: [any PushReader] = []
  private var announcers: [String: @EventLoop (ApprovalRequest) -> Void] = [:]
  private(set) lazy var delivery = Delivery(self)
  /// The deadlines of open requests, by the boot-time clock.
  var deadlines: [OwnedKey: Duration] = [:]
  /// The start of this process, by the boot-time clock.
  let start: Duration

  /// Maximum number of pending pushes of an owner.
  public nonisolated static let pendingLimit = 20
  private static let longestList = 50
  private static let endInterval = Duration.seconds(30)

  public init(_ core: Core, accounts: Accounts) {
    (self.core, self.accounts, start) = (core, accounts, core.time.uptime())
    table = ApprovalTable(core.vault)
    presence = PresenceCheck(core, accounts)
    core.register(self)
    accounts.onAccountRemoved { [weak self] in try self?.cancelRequests(of: $0) }
  }

  /// Adds the approver of a kind of requests.
  ///
  /// `announce` notifies subscribers of state changes; by default they receive the request as a push.
  public func register(
    _ approver: any Approver,
    announce: (@EventLoop (ApprovalRequest) -> Void)? = nil
  ) {
    approvers[approver.name] = approver
    announcers[approver.name] = announce
  }

  /// Adds the reader of one kind of pushes.
  public func register(_ reader: any PushReader) { readers.append(reader) }

  func approver(of request: ApprovalRequest) throws -> any Approver {
    guard let approver = approvers[request.approver] else { throw Refusal(.notFound) }
    return approver
  }

  // MARK: Coming in

  /// Stores a request and notifies subscribers.
  ///
  /// If there are too many pending pushes, `collapse` expires one. The request is remembered as seen until
  /// `end`. `decision` is the decision on a request that needs no user. This decision is
  /// delivered once it is stored.
  public func insert(
    _ request: ApprovalRequest,
    rememberedUntil end: Timestamp,
    decidedAs decision: Decision? = nil
  ) throws {
    let content = request.content.stored.serialized
    try core.vault.write { _ in
      if request.state == .pending, request.kind == .authentication { try collapse(request.owner) }
      // A push is stored even if the quota is exhausted: the number of pending pushes is limited, so storage
      // stays bounded. A request takes two rows, one in `approval` and one in `seen`.
      try core.quota.makeRoom(for: content.count, rows: 2, of: request.owner)
      try table.insert(request, content: content, rememberedUntil: end)
      if let decision { try decideUnasked(request, decision) }
      announce(request.id, of: request.owner)
    }
    guard request.isOpen else { return }
    // The time of receipt may be earlier than now: then less than the whole timeout is left.
    let left = request.expiresAt.milliseconds - core.time.now().milliseconds
    expire(
      request.id,
      of: request.owner,
      after: .milliseconds(max(0, min(left, Int64(request.timeout) * 1000)))
    )
  }

  private func decideUnasked(_ request: ApprovalRequest, _ decision: Decision) throws {
    guard try table.decide(request.id, of: request.owner, decision) else { return }
    core.vault.whenCommitted { [weak self] in
      self?.delivery.deliverUnasked(request, decision, as: AutomaticAction("answerSilently"))
    }
  }

  /// Returns the request with this id at the server.
  public func request(approver: String, source: String, foreignID: String) throws -> ApprovalRequest? {
    try table.request(approver: approver, source: source, foreignID: foreignID)
  }

  /// True if this request was received before, regardless of the outcome and even if its account is gone.
  public func wasSeen(approver: String, source: String, foreignID: String) throws -> Bool {
    try table.wasSeen(approver: approver, source: source, foreignID: foreignID)
  }

  /// Remembers a second identifier, `mark`, of a request as seen.
  ///
  /// A repetition of the request under another id is then recognized.
  public func remember(
    _ mark: String,
    for approver: String,
    of request: ApprovalRequest,
    until end: Timestamp
  ) throws {
    try core.quota.makeRoom(for: 0, of: request.owner)
    try table.remember(mark, for: approver, source: request.source, of: request.owner, until: end)
  }

  /// Makes room for one more pending push.
  ///
  /// Expires the oldest pending push of the account with the most pending pushes. Thus many pushes to one
  /// account do not expire the pushes of accounts with fewer.
  private func collapse(_ owner: uid_t) throws {
    while try table.pendingCount(of: owner) >= Self.pendingLimit {
      let pending = try table.pushes(of: owner, in: .pending, before: .max, limit: Page.maximum)
      let counts = pending.reduce(into: [:]) { $0[$1.account, default: 0] += 1 }
      let most = counts.values.max()
      guard let oldest = pending.last(where: { counts[$0.account] == most }),
        try table.move(oldest.id, of: owner, from: .pending, to: .expired)
      else { return }
      announce(oldest.id, of: owner)
    }
  }

  // MARK: Looking

  /// Returns an owner's request; `kind` is the name of the request in the error if it does not exist.
  public func request(
    _ id: String,
    of owner: uid_t,
    sought kind: StaticString = "request"
  ) throws -> ApprovalRequest {
    guard let request = try table.request(id, of: owner) else { throw RPCError.noSuch(kind) }
    return request
  }

  public func notification(_ id: String, of owner: uid_t) throws -> NotificationObject {
    let request = try request(id, of: owner)
    guard request.kind != .code else { throw RPCError.noSuch("request") }
    return try notification(request)
  }

  /// Returns an owner's pushes in a state, newest first; in any state if `state` is nil.
  public func notifications(
    of owner: uid_t,
    state: NotificationObject.State?,
    page: Page
  ) throws -> [NotificationObject] {
    let before = try page.before.map { try request($0, of: owner).sequence } ?? .max
    guard let state else {
      return try table.pushes(of: owner, before: before, limit: page.limit).map(notification)
    }
    return try table.pushes(of: owner, in: state, before: before, limit: page.limit).map(notification)
  }

  /// Returns the ids of an account's pending pushes received since an instant, newest first.
  public func pending(ofAccount account: String, since: Timestamp, owner: uid_t) throws -> [String] {
    try table.pushes(of: owner, in: .pending, before: .max, limit: Page.maximum)
      .filter { $0.account == account && $0.receivedAt >= since && !isOver($0) }.map(\.id)
  }

  /// Returns the pushes of an account that are among its owner's newest pushes, in any state.
  public func newest(ofAccount account: String, owner: uid_t) throws -> [ApprovalRequest] {
    try table.pushes(of: owner, before: .max, limit: Page.maximum).filter { $0.account == account }
  }

  /// Returns codes of an owner, newest first.
  public func codes(of owner: uid_t) throws -> [ApprovalRequest] {
    try table.codes(of: owner, limit: Self.longestList)
  }

  /// Returns the number of an owner's stored pushes; needs no key.
  public func pushCount(of owner: uid_t) throws -> Int { try table.pushCount(of: owner) }

  /// Returns the number of all owners' pending pushes and the sequence number of the last stored request.
  public func totals() throws -> (pending: Int, ever: Int) { try table.totals() }

  /// The numbers of requests that ended since the start.
  public var endings: EndingCounters { table.endings }

  public func pendingCount(of owner: uid_t) throws -> Int { try table.pendingCount(of: owner) }

  // MARK: Time

  /// Starts the timer that expires a request, by the boot-time clock.
  func expire(_ id: String, of owner: uid_t, after delay: Duration) {
    deadlines[OwnedKey(id, of: owner)] = core.time.uptime() + delay
    core.after(delay) { [weak self] in self?.end(id, of: owner) }
  }

  /// Expires a request, unless a decision on it is in flight: then the server's response determines the
  /// state.
  func end(_ id: String, of owner: uid_t) {
    let key = OwnedKey(id, of: owner)
    guard !delivery.isUnderWay(key) else { return }
    do {
      try core.vault.write { _ in
        for state in [ApprovalRequest.State.pending, .sending]
        where try table.move(id, of: owner, from: state, to: .expired) { announce(id, of: owner) }
      }
      core.vault.afterTurn { [weak self] in self?.ended(key, $0) }
    } catch { ended(key, error) }
  }

  /// Forgets the deadline once the expired state is on the disk.
  ///
  /// If storing failed, keeps the deadline, so that the request still reads as expired, and tries again
  /// later.
  private func ended(_ key: OwnedKey, _ failure: (any Error)?) {
    guard failure != nil else {
      deadlines[key] = nil
      return delivery.forget(key)
    }
    Journal.warning("an expired request could not be closed and is tried again", ["uid": key.owner])
    core.after(Self.endInterval) { [weak self] in self?.end(key.id, of: key.owner) }
  }

  /// True if the time to decide on a request has expired.
  public func isOver(_ request: ApprovalRequest) -> Bool {
    if let deadline = deadlines[request.ownedKey] { return core.time.uptime() >= deadline }
    return core.time.now() >= request.expiresAt
  }

  /// Returns the state of a request: expired after its deadline, unless its decision is in flight.
  public func state(of request: ApprovalRequest) -> ApprovalRequest.State {
    request.isOpen && isOver(request) && !delivery.isUnderWay(request.ownedKey) ? .expired : request.state
  }

  // MARK: Ending

  /// Cancels the open requests of an account that is removed or revoked.
  private func cancelRequests(of account: AccountRecord) throws {
    for id in try table.openIDs(of: account.owner, account: account.id) {
      for state in [ApprovalRequest.State.pending, .sending]
      where try table.move(id, of: account.owner, from: state, to: .cancelled) {
        announce(id, of: account.owner)
      }
    }
    // Removing an account also deletes its requests (foreign key), so the cached counts are invalid.
    table.forget(account.owner)
  }

  /// Cancels a request that the server withdrew; a decision in flight is not affected.
  public func cancel(_ request: ApprovalRequest) throws {
    if try table.move(request.id, of: request.owner, from: .pending, to: .cancelled) {
      announce(request.id, of: request.owner)
    }
  }

  /// Sends the state of a request to subscribers once it is committed.
  func announce(_ id: String, of owner: uid_t) {
    core.vault.whenCommitted { [weak self] in
      guard let self, let request = try? self.table.request(id, of: owner) else { return }
      if let announce = self.announcers[request.approver] { return announce(request) }
      if let shown = try? self.notification(request) {
        self.core.events.publish(.notification, of: owner, shown)
      }
    }
  }

  // MARK: Resuming

  /// True if the settings require a number for every approval.
  var requiresNumber: Bool { core.settings.current.requiresNumber }
}
