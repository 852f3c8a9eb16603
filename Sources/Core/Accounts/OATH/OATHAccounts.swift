public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
public import OATH
internal import OATHExports
internal import OpenSSL
internal import Text
internal import Vault

/// Plain OATH accounts: they have a passcode secret, and no server is notified of their changes.
@EventLoop
public final class OATHAccounts: AccountKind {
  public nonisolated var kind: Account.Kind { .oath }
  let accounts: Accounts
  let passcodes: Passcodes
  private let firstUnmet: @EventLoop (String) -> String?

  /// `firstUnmet` returns the name of the first policy in a JSON text that this machine does not meet.
  public init(
    accounts: Accounts,
    passcodes: Passcodes,
    firstUnmet: @escaping @EventLoop (String) -> String?
  ) {
    (self.accounts, self.passcodes, self.firstUnmet) = (accounts, passcodes, firstUnmet)
    accounts.register(self)
    accounts.whenListed { [unowned self] in try endLocks(of: $0) }
    accounts.enrolments.register(.otpauth) { [unowned self] in try enrol($0, owner: $1) }
    accounts.imports.register(.oath) { [unowned self] credential, context in
      guard case .oath(let record) = credential else { return .unsupported }
      return try take(record, context)
    }
  }

  public func describe(_ account: AccountRecord) throws -> AccountDetails {
    AccountDetails(
      authenticators: [PairedAuthenticator(type: "OTP", status: "COMPLETED")],
      hasWeakSecret: try accounts.table.hasWeakSecret(account.id)
    )
  }

  public func rename(_ account: AccountRecord, to nickname: String) async throws {}

  public func remove(_ account: AccountRecord) async throws {}

  /// Creates an account from the secret in an `otpauth:` URI.
  public func enrol(_ uri: String, owner: uid_t) throws -> Account {
    do { return try enrol(KeyURI(uri), owner: owner) } catch let error as OATHError {
      throw RPCError.invalidParameter("uri").withMessage(error.description)
    }
  }

  private func enrol(_ uri: KeyURI, owner: uid_t) throws -> Account {
    let credential: OATHCredential
    do { credential = try OATHCredential(OATHRecord(uri: uri)) } catch {
      throw RPCError.invalidParameter("uri").withMessage(error.description)
    }
    try accounts.checkRoom(of: owner)
    guard let key = try newKey(of: credential, owner: owner, isOther: { _ in true }) else {
      throw RPCError.conflict
    }
    guard let shown = try accounts.shown(insert(credential, key, owner: owner)) else {
      throw RPCError.noSuch("account")
    }
    return shown
  }

  /// Creates an account for a credential that its owner does not have yet.
  func insert(_ credential: OATHCredential, _ identityKey: [String], owner: uid_t) throws -> AccountRecord {
    try accounts.core.vault.write { _ in
      let account = try accounts.insert(
        kind: .oath,
        owner: owner,
        state: .active,
        issuer: DisplayText.clean(credential.issuer),
        label: DisplayText.clean(credential.label),
        identityKey: identityKey
      )
      try passcodes.insert(OATHSecret(credential), of: account)
      if let policy = credential.policies.flatMap({ firstUnmet($0) }) {
        try accounts.setLock(AccountLock(policy: policy, expiresAt: nil), on: account.id, of: owner)
      }
      accounts.core.vault.whenCommitted { [accounts] in _ = try? accounts.publish(account.id, of: owner) }
      return try accounts.record(account.id, of: owner) ?? account
    }
  }

  /// Returns the policy lock of an account, if this machine still does not meet the policy.
  public func closure(of account: AccountRecord) throws -> AccountLock? {
    accounts.lockInForce(account).flatMap { firstUnmet(#"{"\#($0.policy)": {}}"#) == nil ? nil : $0 }
  }

  private func endLocks(of owner: uid_t) throws {
    for account in try accounts.records(of: owner) where account.kind == .oath && account.lock != nil {
      if try closure(of: account) == nil { try accounts.setLock(nil, on: account.id, of: owner) }
    }
  }

  /// Returns the identity key of a new account; nil if the owner has the account already.
  ///
  /// `isOther` returns whether another label distinguishes an existing account with the same secret and issuer.
  private func newKey(
    of credential: OATHCredential,
    owner: uid_t,
    isOther: (AccountRecord) -> Bool
  ) throws -> [String]? {
    let identity = try Identity(credential)
    guard try !accounts.isInForce(kind: .oath, owner: owner, identityKey: identity.labelled) else {
      return nil
    }
    guard let known = try accounts.inForce(kind: .oath, owner: owner, identityKey: identity.key) else {
      return identity.key
    }
    // Two accounts must not use the counters of one HOTP secret.
    guard case .totp = credential.kind, known.label != DisplayText.clean(credential.label), isOther(known)
    else { return nil }
    return identity.labelled
  }

  /// The identity of a credential, independent of a counter.
  private struct Identity {
    /// The digest of the secret, the passcode parameters, and the issuer.
    let key: [String]
    /// The same with the label, for a further account with the same secret.
    let labelled: [String]

    init(_ credential: OATHCredential) throws {
      let secret = try credential.secret.withBytes { try digest(Array($0), .sha256) }
      let type =
        switch credential.kind {
        case .totp(let period): "totp \(period)"
        case .hotp: "hotp"
        }
      key = [
        secret.map { String($0, radix: 16) }.joined(separator: "."), type, "\(credential.algorithm)",
        "\(credential.digits)", credential.issuer,
      ]
      labelled = key + [credential.label]
    }
  }
}

extension OATHSecret {
  public init(_ credential: OATHCredential) {
    let moving: MovingFactor =
      switch credential.kind {
      case .totp(let period): .time(period: period)
      case .hotp(let counter): .counter(counter)
      }
    self.init(
      secret: credential.secret,
      algorithm: credential.algorithm,
      digits: credential.digits,
      moving: moving,
      resource: credential.resource
    )
  }
}

extension OATHAccounts {
  /// Imports a passcode secret as a new account, or adds it to the account that this import has just created
  /// from a credential with the same names.
  ///
  /// A secret that is here already exists under any label. But several labels in one import are several accounts,
  /// as they are in the other authenticator.
  func take(_ record: OATHRecord, _ context: Imports.Context) throws -> Imports.Outcome {
    let credential: OATHCredential
    do { credential = try OATHCredential(record) } catch { return .skipped(error) }
    let key = try newKey(of: credential, owner: context.owner) { context.made.contains($0.id) }
    guard let key else { return .exists(nil) }
    let secret = OATHSecret(credential)
    if let account = context.other?.account {
      if let known = try passcodes.secret(of: account) {
        if known.makesSame(as: secret) { return .exists(account) }
      } else if context.other?.isMade == true {
        try passcodes.insert(secret, of: account)
        return .made(account)
      }
    }
    guard try accounts.hasRoom(for: context.owner) else { return .noRoom }
    return .made(try insert(credential, key, owner: context.owner))
  }
}

extension OATHSecret {
  /// True if both secrets generate the same passcodes; ignores the position of a counter.
  fileprivate func makesSame(as other: OATHSecret) -> Bool {
    guard algorithm == other.algorithm, digits == other.digits else { return false }
    switch (moving, other.moving) {
    case (.time(let period), .time(let other)) where period == other: break
    case (.counter, .counter): break
    case (.time, _), (.counter, _): return false
    }
    return secret.withBytes { one in other.secret.withBytes { constantTimeEqual(one, $0) } }
  }
}
