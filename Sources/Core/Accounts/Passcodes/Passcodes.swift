public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import OATH
internal import OpenSSL
internal import Time
public import Vault

/// Generates the passcodes of all accounts that have a passcode secret.
@EventLoop
public final class Passcodes {
  private let core: Core
  private let accounts: Accounts
  private let writes: RateLimit
  /// HMAC contexts of recently used accounts; the limit exists because their keys are in locked memory.
  private let generators = RecentCache<OwnedKey, Generator>(capacity: 512)

  public init(_ core: Core, accounts: Accounts, writes: RateLimit) {
    (self.core, self.accounts, self.writes) = (core, accounts, writes)
    core.vault.whenUndone { [generators] in generators.removeAll() }
    accounts.onAccountRemoved { [generators] in generators[OwnedKey($0.id, of: $0.owner)] = nil }
    core.owners.whenErased { [generators] in generators.removeAll(of: $0) }
    core.vault.sealer.whenLockChanged { [generators] in generators.removeAll(of: $0) }
  }

  private enum Generator {
    case time(TOTP)
    case counter(HOTP)
  }

  /// Returns the current passcode and, if `wantsNext`, the passcode of the next time window.
  ///
  /// Both are computed from one reading of the clock. For an account with a counter, stores the incremented
  /// counter first; this counts as one write for the owner's rate limit. A counter that a restored backup may
  /// have set back is used only if `isConfirmed`.
  public func passcode(
    of account: String?,
    next wantsNext: Bool,
    isConfirmed: Bool = false,
    owner: uid_t
  ) throws -> Passcode {
    let account = try accounts.usable(account, of: owner)
    switch try generator(for: account) {
    case .time(let totp):
      let now = core.time.now()
      let window = totp.window(at: now)
      let current = try Self.window(window, of: totp)
      return Passcode(
        account: account.id,
        current: current,
        period: totp.period,
        remaining: current.validUntil - now.seconds,
        next: wantsNext ? try Self.window(window + 1, of: totp) : nil
      )
    case .counter(let hotp):
      guard !wantsNext else { throw RPCError.invalidParameter("next") }
      guard try isConfirmed || !accounts.table.isCountUnsure(account.id) else { throw RPCError.unsureCount }
      try writes.take(of: owner)
      guard let counter = try accounts.table.takeCounter(of: account) else {
        throw RPCError.noSuch("account")
      }
      let passcode = try hotp.passcode(counter: UInt64(counter))
      return .counted(CountedPasscode(account: account.id, passcode: passcode, counter: counter))
    }
  }

  /// Stores the passcode secret of an account.
  public func insert(_ oath: OATHSecret, of account: AccountRecord) throws {
    try accounts.table.insertOATH(oath, of: account)
  }

  /// Returns the passcode secret of an account; nil if it has none.
  public func secret(of account: AccountRecord) throws -> OATHSecret? {
    try accounts.table.oath(of: account)
  }

  /// Returns whether an account has a passcode secret and whether the secret is weak; needs no key.
  public func strength(of account: AccountRecord) throws -> (hasSecret: Bool, isWeak: Bool) {
    (try accounts.table.hasOATH(account.id), try accounts.table.hasWeakSecret(account.id))
  }

  /// Returns the id that the server of the passcode secret has given to the device.
  public func resource(of account: AccountRecord) throws -> String? {
    try accounts.table.resource(of: account.id)
  }

  private func generator(for account: AccountRecord) throws -> Generator {
    let key = OwnedKey(account.id, of: account.owner)
    if let generator = generators[key] {
      // The unlock may have expired before its timer removed the generator.
      guard try core.vault.sealer.isOpen(account.owner) else { throw RPCError.locked }
      return generator
    }
    guard let oath = try secret(of: account) else { throw RPCError.notPaired }
    let generator: Generator =
      if let totp = oath.totp {
        .time(totp)
      } else {
        .counter(HOTP(secret: oath.secret, algorithm: oath.algorithm, digits: oath.digits))
      }
    // A generator that a PIN opened for one call is not cached for other calls.
    if try !core.vault.isLocked(account.owner) { generators[key] = generator }
    return generator
  }

  private static func window(_ number: Int, of totp: TOTP) throws -> Passcode.Window {
    Passcode.Window(
      passcode: try totp.passcode(window: number),
      validFrom: number * totp.period,
      validUntil: (number + 1) * totp.period
    )
  }
}
