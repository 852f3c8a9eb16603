public import Configuration
internal import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
public import JSONRPC
internal import Journal
internal import OpenSSL
internal import Settings
internal import Time
public import Vault
public import WebAddress

/// Manages the owners' identities at the platforms, the trust between them, and the keys of devices and
/// platforms.
@EventLoop
public final class Devices {
  public let core: Core
  public let service: DeviceService
  let table: IdentityTable
  let rotations = SingleFlight<OwnedKey, Timestamp>()
  let meetings = SingleFlight<WebURL, Void>()
  var keyRefreshes: [WebURL: (at: Duration, task: Task<Bool, any Error>)] = [:]
  let trusting = SingleFlight<OwnedKey, Identity>()
  private var platforms: [WebURL: PlatformRecord] = [:]
  /// Unsealed key pairs; they occupy OpenSSL's locked memory, which has room for this number.
  let openKeys = RecentCache<OwnedKey, IdentityKeys>(capacity: 256)
  private var whenTrusted: [@EventLoop (Identity) async -> Void] = []
  private var whenForgotten: [@EventLoop (Identity) throws -> Void] = []
  private var reachabilityObservers: [@EventLoop (WebURL) -> Void] = []

  public init(_ core: Core, service: DeviceService) {
    (self.core, self.service) = (core, service)
    table = IdentityTable(core.vault)
    core.register(self)
    core.vault.sealer.whenLockChanged { [weak self, openKeys] in
      openKeys.removeAll(of: $0)
      self?.rotateWhatIsDue(of: $0)
    }
    core.vault.whenUndone { [weak self] in self?.forgetPlatformKeys() }
  }

  /// Calls a handler after a platform has started to trust an identity.
  public func whenTrusted(_ handler: @escaping @EventLoop (Identity) async -> Void) {
    whenTrusted.append(handler)
  }

  /// Calls a handler if a platform no longer knows an identity, in the transaction that resets the identity.
  public func whenForgotten(_ handler: @escaping @EventLoop (Identity) throws -> Void) {
    whenForgotten.append(handler)
  }

  /// Calls a handler when an unreachable platform responds again.
  func whenReachableAgain(_ handler: @escaping @EventLoop (WebURL) -> Void) {
    reachabilityObservers.append(handler)
  }

  // MARK: Looking

  /// Returns the current identity with this ID, if it still exists.
  public func identity(_ id: String) throws -> Identity? {
    try table.owner(of: id).flatMap { try table.all(of: $0).first { $0.id == id } }
  }

  /// Returns the current state of an identity, if it exists and its platform trusts it.
  public func current(_ identity: Identity) -> Identity? {
    (try? table.all(of: identity.owner))?.first { $0.id == identity.id && $0.isTrusted }
  }

  /// Returns all identities of an owner, trusted or not; the identity of the configured geography is first.
  public func identities(of owner: uid_t) throws -> [Identity] { try table.all(of: owner) }

  /// Returns the trusted identities of an owner; the identity of the configured geography is first.
  public func trusted(of owner: uid_t) throws -> [Identity] { try table.all(of: owner).filter(\.isTrusted) }

  /// Passes the trusted identities of all owners to `body`, a few per loop iteration, so that clients do not
  /// wait long.
  ///
  /// Sleeps for `pause` after each batch of owners, to spread the requests to a platform.
  func eachTrusted(pausing pause: Duration = .zero, _ body: (Identity) throws -> Void) async throws {
    var last: uid_t?
    while case let owners = try table.owners(after: last, limit: Self.handedOverAtOnce), !owners.isEmpty {
      for (index, owner) in owners.enumerated() {
        if index > 0, index % Self.handedOverInATurn == 0 { try await EventLoop.sleep(for: .zero) }
        for identity in try trusted(of: owner) { try body(identity) }
      }
      last = owners.last
      if owners.count == Self.handedOverAtOnce { try await EventLoop.sleep(for: pause) }
    }
  }

  private static let handedOverAtOnce = 64
  /// Number of owners per loop iteration; a new client waits for about a dozen iterations.
  private static let handedOverInATurn = 4

  /// Returns the trusted identities of an owner; throws if there is none.
  public func requireTrusted(of owner: uid_t) throws -> [Identity] {
    let identities = try trusted(of: owner)
    guard !identities.isEmpty else { throw try errorWithoutIdentity(of: owner) }
    return identities
  }

  /// Returns the error for an owner without a trusted identity.
  public func errorWithoutIdentity(of owner: uid_t) throws -> RPCError {
    try geography(of: owner) == nil ? .notConfigured : .notPaired
  }

  public func geography(of owner: uid_t) throws -> Geography? { try table.geography(of: owner) }

  public func platform(_ url: WebURL) -> PlatformRecord {
    if let record = platforms[url] { return record }
    let record = PlatformRecord(url: url) { [weak self] in
      for observer in self?.reachabilityObservers ?? [] { observer(url) }
    } keys: { [table, service] in
      try table.platformKeys(of: url, pinned: service.pinnedKeys)
    }
    platforms[url] = record
    return record
  }

  /// The platforms that were used since the start, by URL.
  public var contactedPlatforms: [PlatformRecord] { platforms.values.sorted { $0.url.text < $1.url.text } }

  /// Discards the cached keys of all platforms, so that they are read and verified again.
  func forgetPlatformKeys() { platforms.values.forEach { $0.forgetKeys() } }

  /// Returns the keys of an identity, unsealing them if necessary.
  func keys(of identity: Identity, id: String? = nil) throws -> IdentityKeys {
    let id = id ?? identity.keyID
    let key = OwnedKey(id, of: identity.owner)
    let isOpen = try core.vault.sealer.isOpen(identity.owner)
    if let keys = openKeys[key], keys.hasAnswer == isOpen { return keys }
    guard let keys = try table.keys(id, of: identity) else {
      throw RPCError.storage(.corrupt)
    }
    // Do not cache keys of a locked owner that are unsealed for one call only.
    if try isOpen != core.vault.isLocked(identity.owner) { openKeys[key] = keys }
    return keys
  }

  /// Returns only the device key; a shared poll needs the device keys of several identities.
  func deviceKey(of identity: Identity) throws -> PrivateKey {
    if let keys = openKeys[OwnedKey(identity.keyID, of: identity.owner)] { return keys.device }
    guard let key = try table.deviceKey(identity.keyID, of: identity) else {
      throw RPCError.storage(.corrupt)
    }
    return key
  }

  // MARK: Trust

  /// Returns the owner's trusted identity of the configured geography.
  ///
  /// If there is none, establishes trust in the geography that the owner or the administrator configured.
  public func requireIdentity(of owner: uid_t) async throws -> Identity {
    if let identity = try trusted(of: owner).first(where: \.isPrimary) { return identity }
    guard let geography = try geography(of: owner) ?? core.settings.current.geography else {
      throw RPCError.notConfigured
    }
    return try await configure(geography, for: owner)
  }

  /// Establishes trust with the platform of a geography; a repeated call returns the same identity.
  public func configure(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    let underWay = trusting.keys.filter { $0.owner == owner }.compactMap { Geography(rawValue: $0.id) }
    let chosen = try self.geography(of: owner).map { [$0] } ?? underWay
    guard chosen.allSatisfy({ $0 == geography }) else { throw RPCError.cannotUpdateGeography }
    return try await trusted(geography, for: owner)
  }

  /// Returns the identity of an owner in a geography, establishing trust with the platform if necessary.
  func trusted(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    if let known = try trusted(of: owner).first(where: { $0.geography == geography }) { return known }
    return try await trusting.run(OwnedKey(geography.rawValue, of: owner), changing: core.vault) { [self] in
      let identity = try await establishTrust(geography, for: owner)
      for handler in whenTrusted { await handler(identity) }
      return identity
    }
  }

  private func establishTrust(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    guard let url = core.settings.current.platform(for: geography) else {
      throw RPCError.trustFailed.withCause(.noPlatform)
    }
    let identity = try untrusted(geography, of: owner, url: url)
    let trust = try await call(identity) { try await $0.trust($1) }
    try core.vault.write { _ in
      try table.setTrusted(identity, deviceID: trust.deviceID, issuers: trust.issuers)
      try setPlatformKeys(trust.platformKeys, of: url)
    }
    guard let trusted = current(identity) else { throw RPCError.notConfigured }
    return trusted
  }

  /// Stores an identity before the first request to the platform.
  ///
  /// After a crash, the platform therefore has no device without keys on this machine.
  private func untrusted(_ geography: Geography, of owner: uid_t, url: WebURL) throws -> Identity {
    let known = try table.all(of: owner).first { $0.geography == geography }
    if let known, known.url == url { return known }
    let id = try OpaqueID.make()
    try core.vault.write { _ in
      try core.owners.enter(owner)
      try table.insert(
        id,
        owner: owner,
        geography: geography,
        url: url,
        try IdentityKeys.generate(),
        at: core.time.now()
      )
    }
    guard let identity = try identity(id) else { throw RPCError.notConfigured }
    return identity
  }

  // MARK: Issuers

  /// Returns the issuers from which an owner's ID tokens are accepted, for all of the owner's geographies.
  public func acceptedIssuers(of owner: uid_t) async throws -> [String] {
    _ = try await requireIdentity(of: owner)
    var issuers: [String] = []
    for issuer in try trusted(of: owner).flatMap(acceptedIssuers) where !issuers.contains(issuer) {
      issuers.append(issuer)
    }
    return issuers
  }

  /// Returns the configured issuers, and the issuers that the platform announced on its own origin.
  func acceptedIssuers(of identity: Identity) -> [String] {
    let configured = core.settings.current.issuers
    return configured
      + identity.issuers.filter { issuer in
        !configured.contains(issuer) && WebURL(issuer)?.origin == identity.url.origin
      }
  }

  // MARK: Ends

  /// Resets a device that the platform no longer knows.
  ///
  /// The handlers of `whenForgotten` revoke its accounts and delete its unfinished pairings. The next use of
  /// the platform establishes trust again with new keys.
  func forget(_ identity: Identity, knownAs device: String) {
    // If the owner was erased meanwhile, there is nothing to revoke.
    guard let identity = current(identity), identity.deviceID == device else { return }
    Journal.warning(
      "the platform does not know this device any more",
      ["uid": identity.owner, "geo": identity.geography]
    )
    do {
      try core.vault.write { _ in
        for handler in whenForgotten { try handler(identity) }
        try table.reset(identity, at: core.time.now())
      }
    } catch { Journal.error("a forgotten device could not be revoked", ["uid": identity.owner]) }
  }
}
