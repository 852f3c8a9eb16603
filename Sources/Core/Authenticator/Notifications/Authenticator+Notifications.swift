package import ControlAPI
internal import EventLoop
package import Glibc
internal import JOSE
package import JSON
internal import JSONRPC
internal import Journal
package import Time
internal import WebAddress

extension Authenticator {
  private static let pendingLimit = 20

  /// Takes a push as a transport delivered it; `nil` when there is nothing to show.
  package func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject? {
    let identities = try requireTrustedIdentities(of: owner)
    guard let token = PushEnvelope.push(in: payload) else { throw RPCError.unrecognizedNotification }
    // Which of the owner's devices it is for, only a push that verifies can say.
    var rejections: [Push.Rejection] = []
    for identity in identities {
      do { return try receive(token, for: identity) } catch let rejection as Push.Rejection {
        rejections.append(rejection)
      }
    }
    for rejection in rejections {
      Journal.warning("a push was rejected", ["reason": rejection, "uid": owner])
    }
    throw RPCError.tokenRejected
  }

  /// Pushes, the newest first.
  package func notifications(
    of owner: uid_t,
    state: NotificationObject.State?,
    page: Page
  ) throws -> [NotificationObject] {
    var sequence: Int?
    if let before = page.before {
      guard let record = try store.notification(before, of: owner) else { throw RPCError.notFound }
      sequence = record.sequence
    }
    return try store.notifications(of: owner, state: state, before: sequence, limit: page.limit).map(object)
  }

  /// The pushes of an account that came since an instant and wait for an answer, the newest first.
  package func pendingNotifications(
    ofAccount account: String,
    since: Timestamp,
    owner: uid_t
  ) throws -> [String] {
    try store.notifications(of: owner, state: .pending, before: nil, limit: Page.maximum)
      .filter { $0.account == account && $0.receivedAt >= since && !isExpired($0) }.map(\.id)
  }

  package func notification(_ id: String, owner: uid_t) throws -> NotificationObject {
    guard let record = try store.notification(id, of: owner) else { throw RPCError.notFound }
    return object(record)
  }

  /// Verifies a push, stores it once, and tells subscribers; the same again gives the same.
  func receive(_ token: CompactJWS, for identity: Identity) throws -> NotificationObject? {
    let push = try Push(
      verifying: token,
      keys: JWKSet(identity.platform.keys),
      issuer: identity.platform.url.text.droppingLastSlash,
      audience: identity.deviceID ?? "",
      now: time.now()
    )
    let account = try store.accounts(of: identity.owner).first {
      $0.isActive && $0.identity == identity.id && $0.environment == push.environment
        && $0.user.id == push.user
    }
    guard let account else {
      Journal.warning(
        "a push was rejected",
        ["reason": "user not paired" as StaticString, "uid": identity.owner]
      )
      throw RPCError.tokenRejected
    }
    switch push.kind {
    case .cancel: return try cancel(push, account: account, identity)
    case .authentication, .silent, .test: return try insert(push, account: account, identity)
    }
  }

  private func insert(_ push: Push, account: AccountRecord, _ identity: Identity) throws
    -> NotificationObject?
  {
    if let known = try store.notification(push: push.id, of: identity) { return object(known) }
    let now = time.now()
    let isCancelled = try store.isCancelled(push.id, user: push.user, identity: identity)
    let timeout = lifetime(of: push, for: identity)
    let kinds: [Push.Kind: NotificationObject.Kind] = [.silent: .done, .test: .test]
    let record = NotificationRecord(
      sequence: 0,
      id: try Self.makeID(),
      owner: identity.owner,
      identity: identity.id,
      account: account.id,
      push: push.id,
      kind: kinds[push.kind] ?? .authentication,
      state: isCancelled ? .cancelled : timeout <= 0 ? .expired : push.kind == .test ? .approved : .pending,
      content: push.content,
      timeout: timeout,
      receivedAt: now,
      expiresAt: now.adding(seconds: timeout),
      decision: nil
    )
    try store.transaction { _ in
      if record.state == .pending, push.kind != .silent { try collapse(identity.owner) }
      try makeRoom(for: record.content.json.serialized.count, of: record.owner)
      _ = try store.insertNotification(record, account: account)
      if push.kind == .silent { try answerSilently(record) }
    }
    if record.state == .pending { expire(record.id, of: record.owner, after: .seconds(timeout)) }
    announce(record.id, of: record.owner)
    Journal.debug("a push arrived", ["type": push.kind, "uid": record.owner])
    return try notification(record.id, owner: record.owner)
  }

  /// Makes room: of too many waiting pushes the oldest can no longer be answered here, and of several accounts
  /// that of the one with the most, so that a flood for one of them leaves the others' alone.
  private func collapse(_ owner: uid_t) throws {
    while try store.pendingCount(of: owner) >= Self.pendingLimit {
      let pending = try store.notifications(of: owner, state: .pending, before: nil, limit: Page.maximum)
      let counts = pending.reduce(into: [:]) { $0[$1.account, default: 0] += 1 }
      let most = counts.values.max()
      guard let oldest = pending.last(where: { counts[$0.account] == most }),
        try store.moveNotification(oldest.id, from: .pending, to: .expired)
      else { return }
      announce(oldest.id, of: owner)
    }
  }

  /// A cancellation takes away the push of its own user only, and is remembered when it comes first.
  private func cancel(_ push: Push, account: AccountRecord, _ identity: Identity) throws
    -> NotificationObject?
  {
    guard let target = push.cancels else { return nil }
    guard let record = try store.notification(push: target, of: identity) else {
      try makeRoom(for: 0, of: identity.owner)
      try store.insertCancellation(target, user: push.user, identity: identity, until: push.expiresAt)
      return nil
    }
    guard record.account == account.id else { throw RPCError.tokenRejected }
    if try store.moveNotification(record.id, from: .pending, to: .cancelled) {
      announce(record.id, of: record.owner)
    }
    return try notification(record.id, owner: record.owner)
  }

  /// Ends a push when its time is over, by the clock that nobody can set.
  func expire(_ id: String, of owner: uid_t, after delay: Duration) {
    deadlines[id] = time.uptime() + delay
    after(delay) { [weak self] in self?.end(id, of: owner) }
  }

  /// Ends a push whose time is over, unless the platform is hearing a decision on it right now: then its word stands.
  func end(_ id: String, of owner: uid_t) {
    guard deliveries[id] == nil else { return }
    backOffs[id] = nil
    do {
      for state in [NotificationObject.State.pending, .sending]
      where try store.moveNotification(id, from: state, to: .expired) { announce(id, of: owner) }
      deadlines[id] = nil
    } catch {
      // Its deadline stays, so that the next who looks finds it expired.
      Journal.warning("a push that is over could not be ended", ["uid": owner])
    }
  }

  func isExpired(_ record: NotificationRecord) -> Bool {
    if let deadline = deadlines[record.id] { return time.uptime() >= deadline }
    return time.now() >= record.expiresAt
  }

  /// Tells subscribers how a push stands now.
  func announce(_ id: String, of owner: uid_t) {
    store.whenCommitted { [self] in
      guard let record = try? store.notification(id, of: owner) else { return }
      events.publish(.notification, of: owner, object(record))
    }
  }

  func object(_ record: NotificationRecord) -> NotificationObject {
    let isOver = (record.state == .pending || record.state == .sending) && isExpired(record)
    let answer = record.decision.map {
      NotificationObject.Answer(
        decision: $0.name,
        authenticationMethod: $0.isApproval ? $0.method : nil,
        reason: $0.isApproval ? nil : $0.reason,
        at: $0.at
      )
    }
    return NotificationObject(
      id: record.id,
      account: record.account,
      kind: record.state == .cancelled ? .cancelled : record.kind,
      state: isOver ? .expired : record.state,
      content: record.content,
      timeoutDuration: record.timeout,
      receivedAt: record.receivedAt,
      expiresAt: record.expiresAt,
      answer: answer
    )
  }
}

extension String {
  var droppingLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
