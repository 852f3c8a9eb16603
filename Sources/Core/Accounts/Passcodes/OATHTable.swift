internal import EventLoop
internal import Glibc
public import OATH
public import OpenSSL
internal import SQLite
internal import Vault

// Rows of `oath`.

extension AccountTable {
  func insertOATH(_ oath: OATHSecret, of account: AccountRecord) throws {
    let key = try dataKey(of: account.id, owner: account.owner)
    let (type, period, counter) =
      switch oath.moving {
      case .time(let period): ("totp", period, 0)
      case .counter(let counter): ("hotp", 0, counter)
      }
    try vault.write { database in
      let secret = try vault.sealer.seal(
        oath.secret,
        guardedBeside: key,
        as: Self.label("account.oath", account.id, account.owner)
      )
      try database.run(
        """
        INSERT INTO oath (account, type, secret, is_guarded, algorithm, digits, period, counter, is_weak, resource)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(account.id),
        .text(type),
        .blob(secret.sealed),
        SQLValue(secret.isGuarded),
        .text(oath.algorithm.storedName),
        SQLValue(oath.digits),
        SQLValue(period),
        SQLValue(counter),
        SQLValue(oath.secret.count < 16),
        SQLValue(oath.resource)
      )
    }
  }

  /// Returns the passcode secret of an account; nil if it has none.
  func oath(of account: AccountRecord) throws -> OATHSecret? {
    let row = try vault.database.row("SELECT * FROM oath WHERE account = ?", .text(account.id)) { $0 }
    guard let row else { return nil }
    guard let algorithm = HashAlgorithm(storedName: row.text("algorithm")) else { throw SealingError.damaged }
    return OATHSecret(
      secret: try vault.sealer.open(
        GuardedSecret(row.blob("secret"), isGuarded: row.flag("is_guarded")),
        beside: dataKey(of: account.id, owner: account.owner),
        as: Self.label("account.oath", account.id, account.owner)
      ),
      algorithm: algorithm,
      digits: row.int("digits"),
      moving: row.text("type") == "hotp"
        ? .counter(row.int("counter")) : .time(period: row.int("period")),
      resource: row.optionalText("resource")
    )
  }

  /// Seals an owner's passcode secrets with the guard key, unless it seals them already.
  func guardSecrets(of owner: uid_t) throws {
    let rows = try vault.database.rows(
      "SELECT id, secret FROM oath JOIN account ON id = account WHERE owner = ? AND is_guarded = 0",
      SQLValue(owner)
    ) { ($0.text(0), $0.blob(1)) }
    for (id, sealed) in rows {
      let label = Self.label("account.oath", id, owner)
      try vault.sealer.unlessDamaged("secret of passcodes", of: owner) {
        let key = try dataKey(of: id, owner: owner)
        let secret = try vault.sealer.seal(key.openSecret(sealed, as: label), guardedBeside: key, as: label)
        try vault.write {
          try $0.run(
            "UPDATE oath SET secret = ?, is_guarded = ? WHERE account = ?",
            .blob(secret.sealed),
            SQLValue(secret.isGuarded),
            .text(id)
          )
        }
      }
    }
  }

  /// True if an account has a passcode secret; needs no key.
  func hasOATH(_ account: String) throws -> Bool {
    try vault.database.row("SELECT 1 FROM oath WHERE account = ?", .text(account)) { _ in true } ?? false
  }

  /// Returns the id that the server of the passcode secret has given to the device; needs no key.
  func resource(of account: String) throws -> String? {
    try vault.database.row("SELECT resource FROM oath WHERE account = ?", .text(account)) {
      $0.optionalText(0)
    } ?? nil
  }

  /// True if a secret has fewer than 128 bits; such secrets are accepted, but servers should not issue them.
  func hasWeakSecret(_ account: String) throws -> Bool {
    try vault.database.row("SELECT is_weak FROM oath WHERE account = ?", .text(account)) { $0.flag(0) }
      ?? false
  }

  /// True if a counter comes from a backup and its owner has not yet confirmed its use.
  func isCountUnsure(_ account: String) throws -> Bool {
    try vault.database.row("SELECT is_count_unsure FROM oath WHERE account = ?", .text(account)) {
      $0.flag(0)
    } ?? false
  }

  /// Returns the counter for the next passcode and increments the stored one; nil if the account has none.
  func takeCounter(of account: AccountRecord) throws -> Int? {
    try vault.write {
      try $0.row(
        """
        UPDATE oath SET counter = counter + 1, is_count_unsure = 0 WHERE account = ? AND type = 'hotp'
          RETURNING counter - 1
        """,
        .text(account.id)
      ) { $0.int(0) }
    }
  }
}

extension HashAlgorithm {
  fileprivate var storedName: String {
    switch self {
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  init?(storedName: String) {
    guard let algorithm = HashAlgorithm.allCases.first(where: { $0.storedName == storedName }) else {
      return nil
    }
    self = algorithm
  }
}

/// A passcode secret with its parameters.
public struct OATHSecret: Sendable {
  /// The moving factor of a passcode: a time window (RFC 6238) or a counter of uses (RFC 4226).
  public enum MovingFactor: Sendable, Equatable {
    /// The length of a window in seconds.
    case time(period: Int)
    /// The counter of the next passcode.
    case counter(Int)
  }

  public let secret: Secret
  public let algorithm: HashAlgorithm
  /// Number of digits, 6 to 8.
  public let digits: Int
  public let moving: MovingFactor
  /// The id that the server of the secret has given to the device; nil if the server sent none.
  public let resource: String?

  public init(
    secret: Secret,
    algorithm: HashAlgorithm,
    digits: Int,
    moving: MovingFactor,
    resource: String? = nil
  ) {
    (self.secret, self.algorithm, self.digits) = (secret, algorithm, digits)
    (self.moving, self.resource) = (moving, resource)
  }

  /// The generator of time-based passcodes; nil for a secret with a counter.
  public var totp: TOTP? {
    guard case .time(let period) = moving else { return nil }
    return TOTP(secret: secret, algorithm: algorithm, digits: digits, period: period)
  }
}
