internal import Configuration
package import ControlAPI
internal import Glibc
internal import OpenSSL
internal import SQLite

/// How pushes come to an owner's devices, the same in every geography.
package struct PushChannel: Sendable, Equatable {
  package let provider: PushProvider
  /// Which of Apple's services the token is for.
  package let environment: PushEnvironment?
  /// Whether there is a token; it is sealed, and read only to be told to a platform.
  package let hasToken: Bool
  /// Whether the owner wants pushes.
  package let isAllowed: Bool

  /// Whether pushes can reach the devices.
  package var isEnabled: Bool { isAllowed && (provider == .poll || hasToken) }

  /// Whether the daemon fetches them itself.
  var isPolled: Bool { isAllowed && provider == .poll }
}

// Columns of `owner`.

extension Store {
  /// How pushes come to an owner's devices; this needs no key.
  func pushChannel(of owner: uid_t) throws -> PushChannel {
    let channel = try database.row(
      "SELECT push_provider, push_environment, push_token IS NOT NULL, push_allowed FROM owner WHERE uid = ?",
      SQLValue(owner)
    ) { row in
      PushChannel(
        provider: PushProvider(rawValue: row.text(0)) ?? .poll,
        environment: row.optionalText(1).flatMap(PushEnvironment.init(rawValue:)),
        hasToken: row.flag(2),
        isAllowed: row.flag(3)
      )
    }
    return channel ?? PushChannel(provider: .poll, environment: nil, hasToken: false, isAllowed: true)
  }

  /// The token of an owner's provider.
  func pushToken(of owner: uid_t) throws -> String? {
    let sealed = try database.row(
      "SELECT data_key, push_token FROM owner WHERE uid = ?",
      SQLValue(owner)
    ) { (key: $0.optionalBlob(0), token: $0.optionalBlob(1)) }
    guard let key = sealed?.key, let token = sealed?.token else { return nil }
    var bytes = try dataKey(unwrapping: key, at: Self.place(owner, "data_key"))
      .open(token, at: Self.place(owner, "push_token"))
    defer { wipe(&bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Stores another transport; every platform has to be told.
  func setPushProvider(
    _ provider: PushProvider,
    token: String?,
    environment: PushEnvironment?,
    of owner: uid_t
  ) throws {
    let (key, wrapped) = try makeDataKey(at: Self.place(owner, "data_key"))
    var bytes = Array((token ?? "").utf8)
    defer { wipe(&bytes) }
    let sealed = try token == nil ? nil : key.seal(bytes, at: Self.place(owner, "push_token"))
    try changePushChannel(of: owner) { database in
      try database.run(
        """
        UPDATE owner SET push_provider = ?, push_environment = ?, push_token = ?, data_key = ? WHERE uid = ?
        """,
        .text(provider.rawValue),
        SQLValue(environment?.rawValue),
        SQLValue(sealed),
        .blob(wrapped),
        SQLValue(owner)
      )
    }
  }

  /// Stores whether pushes are wanted; every platform has to be told.
  func setPushAllowed(_ isAllowed: Bool, of owner: uid_t) throws {
    try changePushChannel(of: owner) { database in
      try database.run(
        "UPDATE owner SET push_allowed = ? WHERE uid = ?",
        SQLValue(isAllowed ? 1 : 0),
        SQLValue(owner)
      )
    }
  }

  private func changePushChannel(of owner: uid_t, _ change: (Database) throws -> Int) throws {
    _ = try transaction { database in
      _ = try change(database)
      return try database.run("UPDATE identity SET push_registered = 0 WHERE owner = ?", SQLValue(owner))
    }
  }

  private static func place(_ owner: uid_t, _ column: StaticString) -> Place {
    Place(table: "owner", row: String(owner), owner: owner, column: column)
  }
}
