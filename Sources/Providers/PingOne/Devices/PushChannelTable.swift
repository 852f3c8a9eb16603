public import ControlAPI
internal import EventLoop
internal import Glibc
internal import OpenSSL
internal import SQLite
internal import Vault

/// The transport of pushes to an owner's devices, the same in every geography.
public struct PushChannel: Sendable, Equatable {
  public let provider: PushProvider
  /// The Apple push environment that the token belongs to.
  public let environment: PushEnvironment?
  /// True if a token is stored; the token itself is sealed.
  public let hasToken: Bool
  /// True if the owner allows pushes.
  public let isAllowed: Bool

  /// True if pushes are allowed and the provider has a token or needs none.
  public var isEnabled: Bool { isAllowed && (provider == .poll || hasToken) }

  /// True if the daemon polls for pushes.
  var isPolled: Bool { isAllowed && provider == .poll }
}

// Columns of `pingone_owner`.

extension IdentityTable {
  /// Returns the push channel of an owner; needs no key.
  func pushChannel(of owner: uid_t) throws -> PushChannel {
    let channel = try vault.database.row(
      """
      SELECT push_provider, push_environment, push_token IS NOT NULL AS has_token, push_allowed
      FROM pingone_owner WHERE owner = ?
      """,
      SQLValue(owner)
    ) { row in
      PushChannel(
        provider: PushProvider(rawValue: row.text("push_provider")) ?? .poll,
        environment: row.optionalText("push_environment").flatMap(PushEnvironment.init(rawValue:)),
        hasToken: row.flag("has_token"),
        isAllowed: row.flag("push_allowed")
      )
    }
    return channel ?? PushChannel(provider: .poll, environment: nil, hasToken: false, isAllowed: true)
  }

  /// Returns the owners that have chosen a provider.
  func owners(by provider: PushProvider) throws -> [uid_t] {
    try vault.database.rows(
      "SELECT owner FROM pingone_owner WHERE push_provider = ? ORDER BY owner",
      .text(provider.rawValue)
    ) { uid_t($0.int("owner")) }
  }

  /// Returns the token of an owner's provider.
  func pushToken(of owner: uid_t) throws -> String? {
    let sealed = try vault.database.row(
      "SELECT data_key, push_token FROM pingone_owner WHERE owner = ?",
      SQLValue(owner)
    ) { (key: $0.optionalBlob("data_key"), token: $0.optionalBlob("push_token")) }
    guard let key = sealed?.key, let token = sealed?.token else { return nil }
    return try vault.sealer.dataKey(unwrapping: key, Self.label("pingone_owner.data_key", owner))
      .openText(token, as: Self.label("pingone_owner.push_token", owner))
  }

  /// Stores another transport; every platform must then be notified.
  func setPushProvider(
    _ provider: PushProvider,
    token: String?,
    environment: PushEnvironment?,
    of owner: uid_t
  ) throws {
    let (key, wrapped) = try vault.sealer.makeDataKey(Self.label("pingone_owner.data_key", owner))
    let sealed = try token.map { try key.seal($0, as: Self.label("pingone_owner.push_token", owner)) }
    try changePushChannel(of: owner) { database in
      try database.run(
        """
        UPDATE pingone_owner SET push_provider = ?, push_environment = ?, push_token = ?, data_key = ?
        WHERE owner = ?
        """,
        .text(provider.rawValue),
        SQLValue(environment?.rawValue),
        SQLValue(sealed),
        .blob(wrapped),
        SQLValue(owner)
      )
    }
  }

  /// Stores whether the owner allows pushes; every platform must then be notified.
  func setPushAllowed(_ isAllowed: Bool, of owner: uid_t) throws {
    try changePushChannel(of: owner) { database in
      try database.run(
        "UPDATE pingone_owner SET push_allowed = ? WHERE owner = ?",
        SQLValue(isAllowed),
        SQLValue(owner)
      )
    }
  }

  private func changePushChannel(of owner: uid_t, _ body: (Database) throws -> Int) throws {
    try change(owner) { database in
      try enter(owner)
      _ = try body(database)
      try database.run("UPDATE identity SET push_registered = 0 WHERE owner = ?", SQLValue(owner))
    }
  }

  private static func label(_ name: StaticString, _ owner: uid_t) -> SealLabel {
    SealLabel(name, row: "", owner: owner)
  }
}
