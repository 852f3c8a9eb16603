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

/// Everything that waits for its owner's word, whatever asks for it.
@EventLoop
public final class Approvals {
  let core: Core
  public let accounts: Accounts
  let table: ApprovalTable
  public let presence: PresenceCheck
  private var approvers: [String: any Approver] = [:]
  /// What takes pushes as transports deliver them, a reader for each kind.
  private(set) var readers: [any PushReader] = []
  private var announcers: [String: @EventLoop (ApprovalRequest) -> Void] = [:]
  private(set) lazy var delivery = Delivery(self)
  /// When open requests are over, by the boot-time clock.
  var deadlines: [OwnedKey: Duration] = [:]
  /// When this life began, by the same clock.
  let start: Duration

  /// The most pushes of an owner that wait.
  public nonisolated static let pendingLimit = 20
  private static let longestList = 50
  private static let endInterval = Duration.seconds(30)

  public init(_ core: Core, accounts: Accounts) {
    (self.core, self.accounts, start) = (core, accounts, core.time.uptime())
    table = ApprovalTable(core.vault)
    presence = PresenceCheck(core, accounts)
    core.register(self)
    accounts.whenGone { [weak self] in try self?.cancelRequests(of: $0) }
  }

  /// Adds the other side of a kind of requests; `announce` tells subscribers how one stands, if pushes' way is not its.
  public func register(
    _ approver: any Approver,
    announce: (@EventLoop (ApprovalRequest) -> Void)? = nil
  ) {
    approvers[approver.name] = approver
    announcers[approver.name] = announce
  }

  /// Adds what takes one kind of pushes as transports deliver them.
  public func register(_ reader: any PushReader) { readers.append(reader) }

  func approver(of request: ApprovalRequest) throws -> any Approver {
    guard let approver = approvers[request.approver] else { throw Refusal(.notFound) }
    return approver
  }

  // MARK: Coming in

  /// Stores what waits for its owner's word, and tells subscribers.
  ///
  /// Of too many pushes the oldest can no longer be answered. It is remembered as seen until the end. What nobody is
  /// asked about comes with its decision, which is handed in once it is stored.
  public func insert(
    _ request: ApprovalRequest,
    rememberedUntil end: Timestamp,
    decidedAs decision: Decision? = nil
  ) throws {
    let content = request.content.stored.serialized
    try core.vault.write { _ in
      if request.state == .pending, request.kind == .authentication { try collapse(request.owner) }
      // A push is stored even without room: those that can still be answered are few, so what is stored is bounded.
      // It is one row, and the memory that it was here another.
      try core.quota.makeRoom(for: content.count, rows: 2, of: request.owner)
      try table.insert(request, content: content, rememberedUntil: end)
      if let decision { try decideUnasked(request, decision) }
      announce(request.id, of: request.owner)
    }
    guard request.isOpen else { return }
    // It may have come before.
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

  /// The request that the other side knows by that id.
  public func request(approver: String, source: String, foreignID: String) throws -> ApprovalRequest? {
    try table.request(approver: approver, source: source, foreignID: foreignID)
  }

  /// Whether a request was here before, whatever became of it and of its account.
  public func wasSeen(approver: String, source: String, foreignID: String) throws -> Bool {
    try table.wasSeen(approver: approver, source: source, foreignID: foreignID)
  }

  /// Remembers as seen by what else a request is known, so that it counts once also under another id.
  public func remember(
    _ mark: String,
    for approver: String,
    of request: ApprovalRequest,
    until end: Timestamp
  ) throws {
    try core.quota.makeRoom(for: 0, of: request.owner)
    try table.remember(mark, for: approver, source: request.source, of: request.owner, until: end)
  }

  /// Of several accounts that of the one with the most goes, so that a flood for one of them leaves the others' alone.
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

  /// An owner's request; `kind` is what it is called to whoever looks for it in vain.
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

  /// Pushes, the newest first.
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

  /// The pushes of an account that came since an instant and wait for a decision, the newest first.
  public func pending(ofAccount account: String, since: Timestamp, owner: uid_t) throws -> [String] {
    try table.pushes(of: owner, in: .pending, before: .max, limit: Page.maximum)
      .filter { $0.account == account && $0.receivedAt >= since && !isOver($0) }.map(\.id)
  }

  /// The pushes of an account among the newest of its owner, whatever became of them.
  public func newest(ofAccount account: String, owner: uid_t) throws -> [ApprovalRequest] {
    try table.pushes(of: owner, before: .max, limit: Page.maximum).filter { $0.account == account }
  }

  /// Codes, the newest first.
  public func codes(of owner: uid_t) throws -> [ApprovalRequest] {
    try table.codes(of: owner, limit: Self.longestList)
  }

  /// How many pushes of an owner are kept; this needs no key.
  public func pushCount(of owner: uid_t) throws -> Int { try table.pushCount(of: owner) }

  /// The pushes of all owners that wait, and the number of the last request that was stored.
  public func totals() throws -> (pending: Int, ever: Int) { try table.totals() }

  public func pendingCount(of owner: uid_t) throws -> Int { try table.pendingCount(of: owner) }

  // MARK: Time

  /// Ends a request when its time is over, by the boot-time clock.
  func expire(_ id: String, of owner: uid_t, after delay: Duration) {
    deadlines[OwnedKey(id, of: owner)] = core.time.uptime() + delay
    core.after(delay) { [weak self] in self?.end(id, of: owner) }
  }

  /// Ends a request whose time is over, unless the other side is hearing a decision on it right now: then its word
  /// stands.
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

  /// What has ended on the disk is forgotten; of what has not the deadline stays, so that the next who looks finds it
  /// expired, and it is ended later.
  private func ended(_ key: OwnedKey, _ failure: (any Error)?) {
    guard failure != nil else {
      deadlines[key] = nil
      return delivery.forget(key)
    }
    Journal.warning("a request that is over could not be ended, which is tried again", ["uid": key.owner])
    core.after(Self.endInterval) { [weak self] in self?.end(key.id, of: key.owner) }
  }

  /// Whether the time to decide on a request is over.
  public func isOver(_ request: ApprovalRequest) -> Bool {
    if let deadline = deadlines[request.ownedKey] { return core.time.uptime() >= deadline }
    return core.time.now() >= request.expiresAt
  }

  /// The state of a request, in which one whose time is over has expired, except while its decision is on its way.
  public func state(of request: ApprovalRequest) -> ApprovalRequest.State {
    request.isOpen && isOver(request) && !delivery.isUnderWay(request.ownedKey) ? .expired : request.state
  }

  // MARK: Ending

  /// What waits for an answer to an account is over with it.
  private func cancelRequests(of account: AccountRecord) throws {
    for id in try table.openIDs(of: account.owner, account: account.id) {
      for state in [ApprovalRequest.State.pending, .sending]
      where try table.move(id, of: account.owner, from: state, to: .cancelled) {
        announce(id, of: account.owner)
      }
    }
    // Removing an account removes its requests with it.
    table.forget(account.owner)
  }

  /// The other side took a request back; a decision that is on its way stands.
  public func cancel(_ request: ApprovalRequest) throws {
    if try table.move(request.id, of: request.owner, from: .pending, to: .cancelled) {
      announce(request.id, of: request.owner)
    }
  }

  /// Tells subscribers how a request stands now.
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

  /// Whether a number has to be brought for every approval.
  var requiresNumber: Bool { core.settings.current.requiresNumber }
}
