internal import Accounts
public import Approvals
public import ControlAPI
public import EventLoop
public import Glibc
internal import JOSE
public import JSON
internal import JSONRPC
internal import Journal
public import Time
public import Vault

/// Pushes of PingAM servers: from what a transport delivered to what waits for its owner's word.
@EventLoop
public final class AMPushes: PushReader {
  private let core: Core
  private let accounts: AMAccounts
  private let approvals: Approvals
  private let unread: AMUnreadTable

  /// The approver that they are stored for.
  static nonisolated let approver = "pingam.push"
  /// What was answered, by the marks of the pushes.
  static nonisolated let answers = "pingam.answered"
  /// How long one is remembered that does not say when it was sent, and never comes too late by itself.
  static nonisolated let longestMemory = 3650 * 86_400

  public init(_ core: Core, accounts: AMAccounts, approvals: Approvals) {
    (self.core, self.accounts, self.approvals) = (core, accounts, approvals)
    unread = AMUnreadTable(vault: core.vault, quota: core.quota)
    approvals.register(self)
    core.register(self)
  }

  public nonisolated func recognizes(_ payload: JSON) -> Bool {
    // The device service's have a type of their own.
    AMPushEnvelope.found(in: payload).map { $0.token.header.type != "push+jwt" } ?? false
  }

  public func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject? {
    guard let envelope = AMPushEnvelope.found(in: payload) else { throw RPCError.unrecognizedNotification }
    guard try !isWaitingForPIN(of: owner) else {
      try unread.keep(envelope, of: owner, at: core.time.now())
      Journal.debug("a push is kept unread until its owner is unlocked", ["uid": owner])
      return nil
    }
    return try read(envelope, from: accounts.active(of: owner), of: owner, at: core.time.now())
  }

  public func isWaitingForPIN(of owner: uid_t) throws -> Bool {
    try !core.vault.sealer.isOpen(owner) && !accounts.active(of: owner).isEmpty
  }

  /// Verifies what came while its owner was locked, as of when it came.
  private func readKept(of owner: uid_t) throws {
    for message in try unread.take(of: owner) {
      // A clock that was set back makes nothing last longer.
      let receivedAt = min(message.receivedAt, core.time.now())
      // What is not taken now is never taken, and keeps nobody locked.
      do {
        try core.vault.sealer.unlessDamaged("account", of: owner) {
          _ = try read(message.envelope, from: accounts.active(of: owner), of: owner, at: receivedAt)
        }
      } catch is RPCError {}
    }
  }

  private func read(
    _ envelope: AMPushEnvelope,
    from accounts: [AMAccount],
    of owner: uid_t,
    at receivedAt: Timestamp
  ) throws -> NotificationObject? {
    // Which account it is for is told by the secret that signed it, not by anything that it says.
    var rejection = AMPush.Rejection.signature
    for account in accounts {
      let key = try self.accounts.secret(of: account)
      let push: AMPush
      do {
        push = try AMPush(verifying: envelope.token, by: key, mechanism: account.mechanism)
      } catch {
        if error != .signature { rejection = error }
        continue
      }
      return try store(push, envelope.messageID, account, at: receivedAt)
    }
    Journal.warning("a push was rejected", ["reason": rejection, "uid": owner])
    throw RPCError.tokenRejected
  }

  private func store(
    _ push: AMPush,
    _ id: String,
    _ account: AMAccount,
    at receivedAt: Timestamp
  ) throws -> NotificationObject {
    // Of others who took the same mechanism over nobody learns here.
    let owner = account.account.owner
    let source = "\(owner)/\(account.mechanism)"
    if let known = try approvals.request(approver: Self.approver, source: source, foreignID: id) {
      return try approvals.notification(known.id, of: owner)
    }
    if let same = try known(push, account) { return try approvals.notification(same, of: owner) }
    if account.user == nil, let user = push.user { try accounts.learn(user, of: account) }
    let lifetime = max(0, push.secondsLeft(at: receivedAt))
    let isOver = receivedAt.adding(seconds: lifetime) <= core.time.now()
    let details = AMPushDetails(push)
    let wasSeen =
      try approvals.wasSeen(approver: Self.approver, source: source, foreignID: id)
      || approvals.wasSeen(approver: Self.answers, source: source, foreignID: details.mark)
    var content = ApprovalRequest.Content()
    content.shown = push.content
    content.shown.title = account.account.issuer
    content.approverDetails = details.stored
    let request = try ApprovalRequest(
      owner: owner,
      approver: Self.approver,
      source: source,
      foreignID: id,
      account: account.account.id,
      kind: .authentication,
      state: wasSeen ? .cancelled : isOver ? .expired : .pending,
      content: content,
      timeout: lifetime,
      receivedAt: receivedAt
    )
    try approvals.insert(request, rememberedUntil: end(of: push, at: core.time.now()))
    Journal.debug("a push arrived", ["uid": owner])
    return try approvals.notification(request.id, of: owner)
  }

  /// The request that is this very push, by another id: nothing that the server signs says which id is its own, and
  /// whoever passes pushes on must not ask for the same many times.
  ///
  /// One that is over without an answer may have had a wrong id, and says nothing of the right one.
  private func known(_ push: AMPush, _ account: AMAccount) throws -> String? {
    try approvals.newest(ofAccount: account.account.id, owner: account.account.owner).first {
      [.pending, .sending, .approved, .denied].contains($0.state)
        && AMPushDetails(stored: $0.content.approverDetails)?.challenge == push.challenge
    }?.id
  }

  /// From when on the same would come too late by itself, by the time that it was sent: a server whose clock is ahead
  /// sends what can be taken for longer than it lasts.
  private func end(of push: AMPush, at now: Timestamp) -> Timestamp {
    let latest = now.adding(seconds: Self.longestMemory)
    guard let sentAt = push.sentAt, sentAt < latest else { return latest }
    return max(now, sentAt).adding(seconds: push.lifetime + 2 * AMPush.leeway)
  }
}

extension AMPushes: OwnedComponent {
  /// `am_unread` keeps each message once that came while its owner was locked.
  public nonisolated static let schema: StaticString = """
    CREATE TABLE am_unread (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      data_key BLOB NOT NULL,
      digest BLOB NOT NULL,
      message BLOB NOT NULL,
      received_at INTEGER NOT NULL,
      UNIQUE (owner, digest)
    ) STRICT;
    """

  public nonisolated static let restoration = RestorationRules(later: [
    // Messages that were read after the backup are not read again, and nobody unlocks unread ones without a PIN.
    "DELETE FROM am_unread",
    "INSERT INTO am_unread SELECT * FROM live.am_unread WHERE owner IN (SELECT uid FROM owner)",
  ])

  public func usage(of owner: uid_t) throws -> Quota.Usage { try unread.usage(of: owner) }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) throws -> Bool {
    try unread.purge(before: limit)
    return false
  }

  /// Reads what waited for the PIN.
  public func guardSecrets(of owner: uid_t) throws { try readKept(of: owner) }

  public func forget(_ owner: uid_t) {}
}
