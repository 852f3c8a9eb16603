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

  public init(accounts: Accounts, passcodes: Passcodes) {
    (self.accounts, self.passcodes) = (accounts, passcodes)
    accounts.register(self)
    accounts.enrolments.register(.otpauth) { [unowned self] in try enrol($0, owner: $1) }
    accounts.imports.register(.oath) { [unowned self] credential, other, owner in
      guard case .oath(let record) = credential else { return .skipped(.unsupported) }
      return try take(record, after: other, owner: owner)
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
    let identityKey = try Self.identityKey(of: credential)
    guard try !accounts.isInForce(kind: .oath, owner: owner, identityKey: identityKey) else {
      throw RPCError.conflict
    }
    guard let shown = try accounts.shown(insert(credential, identityKey, owner: owner)) else {
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
      accounts.core.vault.whenCommitted { [accounts] in _ = try? accounts.publish(account.id, of: owner) }
      return account
    }
  }

  /// Returns the identity of a credential: its names, the digest of its secret, and the passcode parameters.
  ///
  /// The counter is not part of the identity.
  static func identityKey(of credential: OATHCredential) throws -> [String] {
    let secret = try credential.secret.withBytes { try digest(Array($0), .sha256) }
    let type =
      switch credential.kind {
      case .totp(let period): "totp \(period)"
      case .hotp: "hotp"
      }
    return [
      secret.map { String($0, radix: 16) }.joined(separator: "."), type, "\(credential.algorithm)",
      "\(credential.digits)", credential.issuer, credential.label,
    ]
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
  func take(_ record: OATHRecord, after other: Imports.Outcome?, owner: uid_t) throws -> Imports.Outcome {
    let credential: OATHCredential
    do throws(ExportedEntry.Skip) { credential = try record.credential() } catch {
      return .skipped(.init(error))
    }
    let identityKey = try Self.identityKey(of: credential)
    guard try !accounts.isInForce(kind: .oath, owner: owner, identityKey: identityKey) else {
      return .exists(nil)
    }
    let secret = OATHSecret(credential)
    if let account = other?.account {
      if let known = try passcodes.secret(of: account) {
        if known.makesSame(as: secret) { return .exists(account) }
      } else if other?.isMade == true {
        try passcodes.insert(secret, of: account)
        return .made(account)
      }
    }
    guard try accounts.hasRoom(for: owner) else { return .skipped(.quota) }
    return .made(try insert(credential, identityKey, owner: owner))
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
