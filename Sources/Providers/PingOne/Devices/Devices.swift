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

/// What each owner is to the platforms: their identities, the trust in them, and the keys of both sides.
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
  /// Pairs of keys lie in the library's locked memory, which has room for so many.
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

  /// Calls a handler when a platform has begun to trust an identity.
  public func whenTrusted(_ handler: @escaping @EventLoop (Identity) async -> Void) {
    whenTrusted.append(handler)
  }

  /// Calls a handler, within the transaction that forgets it, when a platform does not know an identity any more.
  public func whenForgotten(_ handler: @escaping @EventLoop (Identity) throws -> Void) {
    whenForgotten.append(handler)
  }

  /// Calls a handler when a platform answers again that could not be reached.
  func whenReachableAgain(_ handler: @escaping @EventLoop (WebURL) -> Void) {
    reachabilityObservers.append(handler)
  }

  // MARK: Looking

  /// The identity of that id as it is now, if it is still somebody's.
  public func identity(_ id: String) throws -> Identity? {
    try table.owner(of: id).flatMap { try table.all(of: $0).first { $0.id == id } }
  }

  /// An identity as it is now, if it is still its owner's and its platform knows it.
  public func current(_ identity: Identity) -> Identity? {
    (try? table.all(of: identity.owner))?.first { $0.id == identity.id && $0.isTrusted }
  }

  /// The identities of an owner, that of the configured geography first, with those that no platform trusts yet.
  public func identities(of owner: uid_t) throws -> [Identity] { try table.all(of: owner) }

  /// The trusted identities of an owner, that of the configured geography first.
  public func trusted(of owner: uid_t) throws -> [Identity] { try table.all(of: owner).filter(\.isTrusted) }

  /// Hands over the trusted identities of all owners, a few in a turn, so that whoever asks meanwhile waits for no more.
  ///
  /// With a pause after some, a platform does not hear of all at once.
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
  /// Whoever comes for the first time is served after a dozen turns.
  private static let handedOverInATurn = 4

  /// The trusted identities of an owner who has one.
  public func requireTrusted(of owner: uid_t) throws -> [Identity] {
    let identities = try trusted(of: owner)
    guard !identities.isEmpty else { throw try errorWithoutIdentity(of: owner) }
    return identities
  }

  /// What an owner without an identity hears.
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

  /// Lets what is held of every platform be read and judged again.
  func forgetPlatformKeys() { platforms.values.forEach { $0.forgetKeys() } }

  /// The keys of an identity, opened when they are needed.
  func keys(of identity: Identity, id: String? = nil) throws -> IdentityKeys {
    let id = id ?? identity.keyID
    let key = OwnedKey(id, of: identity.owner)
    let isOpen = try core.vault.sealer.isOpen(identity.owner)
    if let keys = openKeys[key], keys.hasAnswer == isOpen { return keys }
    guard let keys = try table.keys(id, of: identity) else {
      throw RPCError.storage(.corrupt)
    }
    // What is open for one call only is kept for no other.
    if try isOpen != core.vault.isLocked(identity.owner) { openKeys[key] = keys }
    return keys
  }

  /// The key by which an identity speaks, without the other: a poll for many takes it of each of them.
  func deviceKey(of identity: Identity) throws -> PrivateKey {
    if let keys = openKeys[OwnedKey(identity.keyID, of: identity.owner)] { return keys.device }
    guard let key = try table.deviceKey(identity.keyID, of: identity) else {
      throw RPCError.storage(.corrupt)
    }
    return key
  }

  // MARK: Trust

  /// The trusted identity of an owner; without one the geography that they, or else the administrator, chose is
  /// configured first.
  public func requireIdentity(of owner: uid_t) async throws -> Identity {
    if let identity = try trusted(of: owner).first(where: \.isPrimary) { return identity }
    guard let geography = try geography(of: owner) ?? core.settings.current.geography else {
      throw RPCError.notConfigured
    }
    return try await configure(geography, for: owner)
  }

  /// Establishes trust with the platform of a geography; the same again gives the same identity.
  public func configure(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    let underWay = trusting.keys.filter { $0.owner == owner }.compactMap { Geography(rawValue: $0.id) }
    let chosen = try self.geography(of: owner).map { [$0] } ?? underWay
    guard chosen.allSatisfy({ $0 == geography }) else { throw RPCError.cannotUpdateGeography }
    return try await trusted(geography, for: owner)
  }

  /// The identity of an owner in a geography, with whose platform trust is established if it is not yet.
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
      throw RPCError.trustFailed.because(.noPlatform)
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

  /// An identity that is on the disk before the platform hears of it, so that a crash leaves no orphan there.
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

  /// The issuers whose ID tokens are taken from an owner, whichever of their geographies they belong to.
  public func acceptedIssuers(of owner: uid_t) async throws -> [String] {
    _ = try await requireIdentity(of: owner)
    var issuers: [String] = []
    for issuer in try trusted(of: owner).flatMap(acceptedIssuers) where !issuers.contains(issuer) {
      issuers.append(issuer)
    }
    return issuers
  }

  /// The issuers whose ID tokens are taken: those of the configuration, and those that the platform announced
  /// when they share its origin.
  func acceptedIssuers(of identity: Identity) -> [String] {
    let configured = core.settings.current.issuers
    return configured
      + identity.issuers.filter { issuer in
        !configured.contains(issuer) && WebURL(issuer)?.origin == identity.url.origin
      }
  }

  // MARK: Ends

  /// The platform does not know a device any more: its pairings are revoked, visibly, and the next who needs the
  /// platform establishes trust anew, with new keys.
  func forget(_ identity: Identity, knownAs device: String) {
    // Of an owner who was erased meanwhile nothing is left to revoke.
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
