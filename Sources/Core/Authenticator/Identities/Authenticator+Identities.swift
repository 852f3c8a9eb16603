package import Configuration
internal import ControlAPI
internal import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal
internal import Time
internal import WebAddress

extension Authenticator {
  /// The trusted identity of the geography that an owner configured, if there is one.
  package func identity(of owner: uid_t) throws -> Identity? {
    try identities().first { $0.owner == owner && $0.isPrimary && $0.deviceID != nil }
  }

  /// The trusted identities of an owner, that of the configured geography first.
  package func trustedIdentities(of owner: uid_t) throws -> [Identity] {
    let trusted = try identities().filter { $0.owner == owner && $0.deviceID != nil }
    return trusted.filter(\.isPrimary) + trusted.filter { !$0.isPrimary }
  }

  /// The trusted identities of an owner who has one.
  func requireTrustedIdentities(of owner: uid_t) throws -> [Identity] {
    let identities = try trustedIdentities(of: owner)
    guard !identities.isEmpty else {
      throw try store.geography(of: owner) == nil ? RPCError.notConfigured : .notPaired
    }
    return identities
  }

  /// The trusted identity of an owner; without one the geography that they, or else the administrator, chose is
  /// configured first.
  package func requireIdentity(of owner: uid_t) async throws -> Identity {
    if let identity = try identity(of: owner) { return identity }
    guard let geography = try store.geography(of: owner) ?? configuration.geography else {
      throw RPCError.notConfigured
    }
    return try await configure(geography, for: owner)
  }

  /// Establishes trust with the platform of a geography; the same again gives the same identity.
  package func configure(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    let chosen = try store.geography(of: owner).map { [$0] } ?? Array((establishing[owner] ?? [:]).keys)
    guard chosen.allSatisfy({ $0 == geography }) else { throw RPCError.cannotUpdateGeography }
    return try await trusted(geography, for: owner)
  }

  /// The identity of an owner in a geography, with whose platform trust is established if it is not yet.
  func trusted(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    let known = try identities().first {
      $0.owner == owner && $0.geography == geography && $0.deviceID != nil
    }
    if let known { return known }
    if let running = establishing[owner]?[geography] { return try await running.value }
    let task = EventLoop.task { [self] in
      defer { establishing[owner]?[geography] = nil }
      return try await establishTrust(geography, for: owner)
    }
    establishing[owner, default: [:]][geography] = task
    return try await task.value
  }

  private func establishTrust(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    guard let url = configuration.platform(for: geography) else { throw RPCError.trustFailed }
    let identity = try untrustedIdentity(geography, owner: owner, url: url)
    let trust = try await ask(identity) { try await $0.trust(identity) }
    try store.setTrusted(
      identity,
      deviceID: trust.deviceID,
      issuers: trust.issuers,
      keys: trust.keys,
      version: trust.keysVersion
    )
    try? await registerPush(identity)
    return identity
  }

  /// An identity that is on the disk before the platform hears of it, so that a crash leaves no orphan there.
  private func untrustedIdentity(_ geography: Geography, owner: uid_t, url: WebURL) throws -> Identity {
    let known = try identities().first { $0.owner == owner && $0.geography == geography }
    if let known, known.platform.url == url { return known }
    let identity = try store.insertIdentity(
      try Self.makeID(),
      owner: owner,
      geography: geography,
      platform: platformRecord(url),
      at: time.now()
    )
    adopt(identity)
    return identity
  }

  /// The platform does not know a device any more: its pairings are revoked, visibly, and the next who needs the
  /// platform establishes trust anew, with new keys.
  func forget(_ identity: Identity, knownAs device: String) {
    // Of an owner who was erased meanwhile nothing is left to revoke.
    guard identity.deviceID == device, isInUse(identity) else { return }
    Journal.warning(
      "the platform does not know this device any more",
      ["uid": identity.owner, "geo": identity.geography]
    )
    pollers.removeValue(forKey: identity.id)?.cancel()
    do {
      try store.transaction { _ in
        try store.deletePairings(of: identity)
        for account in try store.accounts(of: identity.owner) where account.identity == identity.id {
          try revoke(account)
        }
        try store.resetIdentity(identity, at: time.now())
      }
    } catch { Journal.error("a forgotten device could not be revoked", ["uid": identity.owner]) }
  }
}
