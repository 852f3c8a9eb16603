internal import Accounts
public import Approvals
public import ControlAPI
public import EventLoop
public import Glibc
internal import JOSE
public import JSON
internal import JSONRPC
internal import Journal
internal import OpenSSL
public import Time
public import Vault

/// Pushes of PingAM servers, from delivery by a transport to a request that waits for its owner's decision.
@EventLoop
public final class AMPushes: PushReader {
  private let core: Core
  private let accounts: AMAccounts
  private let approvals: Approvals
  private let unread: AMUnreadTable

  /// The name of the approver in stored requests.
  static nonisolated let approver = "pingam.push"
  /// The name under which the marks of answered pushes are stored.
  static nonisolated let answers = "pingam.answered"
  /// Seconds for which a push without a sending time is remembered.
  ///
  /// It is ten years, because the age of such a push is unknown.
  static nonisolated let longestMemory = 3650 * 86_400

  public init(_ core: Core, accounts: AMAccounts, approvals: Approvals) {
    (self.core, self.accounts, self.approvals) = (core, accounts, approvals)
    unread = AMUnreadTable(vault: core.vault, quota: core.quota)
    approvals.register(self)
    core.register(self)
    core.vault.sealer.whenUnlocking { [weak self] in try await self?.readKept(of: $0) }
  }

  public nonisolated func recognizes(_ payload: JSON) -> Bool {
    // A token with the type `push+jwt` is a push of the PingOne device service.
    AMPushEnvelope.found(in: payload).map { $0.token.header.type != "push+jwt" } ?? false
  }

  public func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject? {
    guard let envelope = AMPushEnvelope.found(in: payload) else { throw RPCError.unrecognizedNotification }
    guard try !isWaitingForPIN(of: owner) else {
      try unread.keep(envelope, of: owner, at: core.time.now())
      Journal.debug("a push is kept unread until its owner is unlocked", ["uid": owner])
      return nil
    }
    var secrets: [String: Secret] = [:]
    return try read(envelope, by: &secrets, of: owner, at: core.time.now())
  }

  public func isWaitingForPIN(of owner: uid_t) throws -> Bool {
    try !core.vault.sealer.isOpen(owner) && !accounts.active(of: owner).isEmpty
  }

  /// Reads the messages that arrived while their owner was locked.
  ///
  /// Each loop iteration reads one message, so that other owners are served between them.
  private func readKept(of owner: uid_t) async throws {
    // Each secret is opened once for all messages.
    var secrets: [String: Secret] = [:]
    while try core.vault.sealer.isOpen(owner),
      try core.vault.write({ _ in try readOldest(of: owner, by: &secrets) })
    { await EventLoop.nextTurn() }
  }

  /// Verifies the oldest message that arrived while its owner was locked, as of its time of receipt.
  ///
  /// Returns false if there is none.
  private func readOldest(of owner: uid_t, by secrets: inout [String: Secret]) throws -> Bool {
    guard let message = try unread.takeOldest(of: owner) else { return false }
    guard let envelope = message.envelope else { return true }
    // A clock that was set back must not extend the lifetime.
    let receivedAt = min(message.receivedAt, core.time.now())
    // A rejected message is discarded and does not prevent the unlocking.
    do {
      try core.vault.sealer.unlessDamaged("account", of: owner) {
        _ = try read(envelope, by: &secrets, of: owner, at: receivedAt)
      }
    } catch is RPCError {}
    return true
  }

  /// Verifies and stores a message; `secrets` contains the secrets of accounts that are open already.
  private func read(
    _ envelope: AMPushEnvelope,
    by secrets: inout [String: Secret],
    of owner: uid_t,
    at receivedAt: Timestamp
  ) throws -> NotificationObject? {
    // Select the account by the secret that verifies the signature, not by the content of the push.
    var rejection = AMPush.Rejection.signature
    for account in try accounts.active(of: owner) {
      let key = try secrets[account.account.id] ?? accounts.secret(of: account)
      secrets[account.account.id] = key
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
    // Include the owner, so that the pushes of two owners with the same mechanism ID stay separate.
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

  /// Returns the ID of the request for a push with the same challenge.
  ///
  /// The server does not sign the message ID. Without this check, a relay could present one push several
  /// times with different IDs. An expired or cancelled request does not match, since its message ID may have
  /// been wrong.
  private func known(_ push: AMPush, _ account: AMAccount) throws -> String? {
    try approvals.newest(ofAccount: account.account.id, owner: account.account.owner).first {
      [.pending, .sending, .approved, .denied].contains($0.state)
        && AMPushDetails(stored: $0.content.approverDetails)?.challenge == push.challenge
    }?.id
  }

  /// Returns the time until which the push must be remembered.
  ///
  /// After this time, the sending time alone shows that the push is too old. If the server's clock is ahead,
  /// a push is accepted for longer than its lifetime.
  private func end(of push: AMPush, at now: Timestamp) -> Timestamp {
    let latest = now.adding(seconds: Self.longestMemory)
    guard let sentAt = push.sentAt, sentAt < latest else { return latest }
    return max(now, sentAt).adding(seconds: push.lifetime + 2 * AMPush.leeway)
  }
}

extension AMPushes: OwnedComponent {
  /// `am_unread` stores each message that arrived while its owner was locked, once.
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
    // Keep the live rows, so that messages that were read after the backup are not read again. Unread
    // messages still wait for the PIN.
    "DELETE FROM am_unread",
    "INSERT INTO am_unread SELECT * FROM live.am_unread WHERE owner IN (SELECT uid FROM owner)",
  ])

  public func usage(of owner: uid_t) throws -> Quota.Usage { try unread.usage(of: owner) }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) throws -> Bool {
    try unread.purge(before: limit)
    return false
  }

  public func guardSecrets(of owner: uid_t) {}

  public func forget(_ owner: uid_t) {}
}
