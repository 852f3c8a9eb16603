package import Configuration
internal import ControlAPI
package import EventLoop
package import Glibc
internal import JSON
internal import JSONRPC
internal import JOSE
internal import OpenSSL
package import Time
internal import WebAddress

/// Everything that owners can do with their pairings, passcodes, pushes and codes.
///
/// One object holds what can change; it lives on the event loop. What is to survive is in the store before
/// anybody hears of it. Each verb takes the owner, and an id of another owner does not exist for them.
@EventLoop
package final class Authenticator {
  /// What survives.
  package let store: Store
  /// Who hears of changes.
  package let events = EventHub()
  /// What the administrator decided; replaced when the file is read again.
  package var configuration: Configuration

  let platform: any Platform
  let time: TimeSource
  let after: Delay
  private var loadedIdentities: [Identity]?
  private var platforms: [WebURL: PlatformRecord] = [:]
  private var configuring: [uid_t: (geography: Geography, task: Task<Identity, any Error>)] = [:]

  var pairingOwners: Set<uid_t> = []
  var passcodes: [String: TOTP] = [:]
  var deadlines: [String: Duration] = [:]
  var deliveries: [String: Task<AnswerOutcome, any Error>] = [:]
  var backOffs: [String: Duration] = [:]
  var retries: Set<String> = []
  var pollers: [String: Task<Void, Never>] = [:]

  /// What calls a handler once after a time.
  package typealias Delay = @EventLoop (Duration, @escaping @EventLoop () -> Void) -> Void

  /// An authenticator over a store and a platform.
  package init(
    store: Store,
    platform: any Platform,
    configuration: Configuration,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) {
    (self.store, self.platform, self.configuration, self.time) = (store, platform, configuration, time)
    self.after = after
  }

  /// Every identity that the store holds.
  package func identities() throws -> [Identity] {
    if let loadedIdentities { return loadedIdentities }
    let identities = try store.identities { try platformRecord($0) }
    loadedIdentities = identities
    return identities
  }

  /// The trusted identity of an owner, if there is one.
  package func identity(of owner: uid_t) throws -> Identity? {
    try identities().first { $0.owner == owner && $0.deviceID != nil }
  }

  /// The trusted identity of an owner; without one the geography of the configuration is configured first.
  package func requireIdentity(of owner: uid_t) async throws -> Identity {
    if let identity = try identity(of: owner) { return identity }
    guard let geography = configuration.geography else { throw RPCError.notConfigured }
    return try await configure(geography, for: owner)
  }

  /// The account of that id, or the identity's owner's only one.
  func account(_ id: String?, of owner: uid_t) throws -> AccountRecord {
    let accounts = try store.accounts(of: owner).filter(\.isActive)
    if let id {
      guard let account = accounts.first(where: { $0.id == id }) else { throw RPCError.notFound }
      return account
    }
    guard let first = accounts.first else {
      throw try identity(of: owner) == nil ? RPCError.notConfigured : .notPaired
    }
    guard accounts.count == 1 else {
      throw RPCError.ambiguous.with(["accounts": .strings(accounts.map(\.id))])
    }
    return first
  }

  /// Establishes trust with the platform of a geography; the same again gives the same identity.
  package func configure(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    if let identity = try identity(of: owner) {
      guard identity.geography == geography else { throw RPCError.cannotUpdateGeography }
      return identity
    }
    if let running = configuring[owner] {
      guard running.geography == geography else { throw RPCError.cannotUpdateGeography }
      return try await running.task.value
    }
    let task = EventLoop.task { [self] in
      defer { configuring[owner] = nil }
      return try await establishTrust(geography, for: owner)
    }
    configuring[owner] = (geography, task)
    return try await task.value
  }

  private func establishTrust(_ geography: Geography, for owner: uid_t) async throws -> Identity {
    guard let url = configuration.platform(for: geography) else { throw RPCError.trustFailed }
    let identity = try untrustedIdentity(geography, owner: owner, url: url)
    let trust = try await platform.trust(identity)
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
      at: time.now().milliseconds
    )
    loadedIdentities = (loadedIdentities ?? []).filter { $0.id != known?.id } + [identity]
    return identity
  }

  /// Tells the platform, once, that this device fetches its pushes itself.
  func registerPush(_ identity: Identity) async throws {
    guard !identity.isPushRegistered else { return }
    try await platform.registerPush(identity, isAllowed: true)
    try store.setPushRegistered(identity)
  }

  private func platformRecord(_ url: WebURL) throws -> PlatformRecord {
    if let record = platforms[url] { return record }
    let record = try store.platformRecord(url)
    platforms[url] = record
    return record
  }

  /// A new opaque id of 96 random bits, which no command can take for an option.
  package static func makeID() throws -> String {
    while true {
      let id = Base64URL.encode(try randomBytes(12))
      if !id.hasPrefix("-") { return id }
    }
  }
}
