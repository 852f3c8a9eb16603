public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import Journal
internal import Vault

/// How pushes come to each owner's devices, and whether the platforms know it.
@EventLoop
public final class PushChannels {
  let devices: Devices
  /// How this machine takes pushes by itself.
  public var receiver = PushReceiver.none
  private var followers: [@EventLoop (uid_t) throws -> Void] = []
  private let isUsedByOtherServers: @EventLoop (uid_t) throws -> Bool
  private var changes: [uid_t: Int] = [:]
  private let updates = SingleFlight<OwnedKey, Bool>()
  private var backOffs: [OwnedKey: BackOff] = [:]
  private var retries: Set<OwnedKey> = []

  /// `isUsedByOtherServers` tells whether other servers than platforms use an owner's token, which then needs no
  /// platform.
  public init(devices: Devices, isUsedByOtherServers: @escaping @EventLoop (uid_t) throws -> Bool) {
    (self.devices, self.isUsedByOtherServers) = (devices, isUsedByOtherServers)
    devices.whenTrusted { [weak self] in try? await self?.register($0) }
    devices.core.owners.whenErased { [weak self] in self?.forget($0) }
  }

  /// Calls a handler when an owner's pushes are to come in another way.
  public func whenChanged(_ handler: @escaping @EventLoop (uid_t) throws -> Void) {
    followers.append(handler)
  }

  /// Owners who have chosen a provider.
  public func owners(by provider: PushProvider) throws -> [uid_t] { try devices.table.owners(by: provider) }

  /// The token of an owner's provider, whether pushes are allowed or not; one that does not open is none.
  public func storedToken(of owner: uid_t) throws -> String? {
    try devices.core.vault.sealer.unlessDamaged("push token", of: owner) {
      try devices.table.pushToken(of: owner)
    }.flatMap { $0 }
  }

  /// The token by which pushes come, where they come by any.
  public func token(of owner: uid_t) throws -> String? {
    try channel(of: owner).isAllowed ? devices.table.pushToken(of: owner) : nil
  }

  public func channel(of owner: uid_t) throws -> PushChannel { try devices.table.pushChannel(of: owner) }

  /// Takes another transport for pushes and tells every platform; one that cannot be told now is told later.
  public func setToken(_ request: DeviceSetPushToken, owner: uid_t) async throws -> PushChannelReport {
    let provider = request.provider
    let given = request.token.flatMap { $0.isEmpty ? nil : $0 }
    guard request.environment == nil || provider == .apns else {
      throw RPCError.invalidParameter("environment")
    }
    guard given == nil || provider != .poll else { throw RPCError.invalidParameter("token") }
    guard given != nil || provider == .poll || receiver.offers(provider) else {
      throw RPCError.deviceTokenMissing
    }
    try await requirePlatform(of: owner)
    try devices.core.vault.write { _ in
      try devices.table.setPushProvider(
        provider,
        token: receiver.choose(provider, given, owner),
        environment: provider == .apns ? request.environment ?? .production : nil,
        of: owner
      )
    }
    return try await tellChange(of: owner)
  }

  /// Allows pushes or not, and tells every platform; one that cannot be told now is told later.
  public func setAllowed(_ isAllowed: Bool, owner: uid_t) async throws -> PushChannelReport {
    try await requirePlatform(of: owner)
    try devices.table.setPushAllowed(isAllowed, of: owner)
    return try await tellChange(of: owner)
  }

  private func requirePlatform(of owner: uid_t) async throws {
    let hasNone = try devices.trusted(of: owner).isEmpty && devices.geography(of: owner) == nil
    if try hasNone && isUsedByOtherServers(owner) { return try devices.core.owners.enter(owner) }
    _ = try await devices.requireIdentity(of: owner)
  }

  private func tellChange(of owner: uid_t) async throws -> PushChannelReport {
    changes[owner, default: 0] += 1
    for follower in followers { try follower(owner) }
    let updates = try devices.trusted(of: owner).map { identity in
      (identity.geography, EventLoop.task { [self] in try await update(identity) })
    }
    var isEnabled = try channel(of: owner).isEnabled
    var errors: [GeographyError] = []
    for (geography, update) in updates {
      do { isEnabled = try await update.value && isEnabled } catch let error as PlatformError {
        errors.append(GeographyError(geography, error.rpcError))
      }
    }
    let place = try receiver.place(owner)
    return PushChannelReport(
      isPushEnabled: isEnabled,
      errors: errors,
      address: place?.address,
      subscription: place?.subscription
    )
  }

  /// Tells a platform how pushes come, unless it knows.
  func register(_ identity: Identity) async throws {
    guard let current = devices.current(identity), !current.isPushRegistered else { return }
    _ = try await update(current)
  }

  /// Tells a platform how pushes come and returns whether it can send any.
  ///
  /// One update at a time, so that the last that a platform hears is the newest.
  private func update(_ identity: Identity) async throws -> Bool {
    while updates.isRunning(identity.ownedKey) { await updates.finished(identity.ownedKey) }
    do {
      let isEnabled = try await updates.run(identity.ownedKey, changing: devices.core.vault) { [self] in
        try await send(identity)
      }
      backOffs[identity.ownedKey] = nil
      return isEnabled
    } catch {
      switch error as? PlatformError {
      case .unreachable, .failed: updateLater(identity)
      default: break
      }
      throw error
    }
  }

  private func send(_ identity: Identity) async throws -> Bool {
    let change = changes[identity.owner]
    let channel = try channel(of: identity.owner)
    let token = try devices.table.pushToken(of: identity.owner)
    var device: String?
    let isEnabled = try await devices.call(identity) {
      device = $1.identity.deviceID
      return try await $0.setPushChannel($1, channel, token: token)
    }
    // What changed meanwhile is told by whoever changed it.
    if change == changes[identity.owner], let current = devices.current(identity), current.deviceID == device
    {
      try devices.table.setPushRegistered(true, current)
    }
    Journal.debug(
      "the platform knows how pushes come",
      ["geo": identity.geography, "provider": channel.provider, "uid": identity.owner]
    )
    return isEnabled
  }

  /// Tries again after a while; of several such requests one is enough.
  private func updateLater(_ identity: Identity) {
    guard retries.insert(identity.ownedKey).inserted else { return }
    let delay = backOffs[identity.ownedKey, default: BackOff(from: .seconds(1), to: .seconds(300))].next()
    devices.core.after(delay + EventLoop.jitter) { [weak self] in
      self?.retries.remove(identity.ownedKey)
      EventLoop.task { _ = try? await self?.register(identity) }
    }
  }

  private func forget(_ owner: uid_t) {
    changes[owner] = nil
    updates.cancelAll(of: owner)
    backOffs.removeAll(of: owner)
  }
}

/// How this machine takes pushes by itself where others leave them.
public struct PushReceiver: Sendable {
  /// Whether there can be a token of this machine's own for a provider.
  public let offers: @EventLoop @Sendable (PushProvider) -> Bool
  /// The token for an owner's choice of a provider: the one that was given, else one of this machine's own.
  ///
  /// It is asked at each choice and in its transaction, so that what belonged to another choice ends with it.
  public let choose: @EventLoop @Sendable (PushProvider, _ given: String?, uid_t) throws -> String?
  /// Where an owner's pushes are left, if this machine takes them.
  public let place: @EventLoop @Sendable (uid_t) throws -> PushPlace?

  public init(
    offers: @escaping @EventLoop @Sendable (PushProvider) -> Bool,
    choose: @escaping @EventLoop @Sendable (PushProvider, _ given: String?, uid_t) throws -> String?,
    place: @escaping @EventLoop @Sendable (uid_t) throws -> PushPlace?
  ) {
    (self.offers, self.choose, self.place) = (offers, choose, place)
  }

  /// A machine that takes none.
  static let none = PushReceiver(
    offers: { _ in false },
    choose: { _, given, _ in given },
    place: { _ in nil }
  )
}

/// Where pushes for an owner are left, for those who send them.
public enum PushPlace: Sendable, Equatable {
  /// Where they are left as they are.
  case address(String)
  /// Encrypted for the owner.
  case subscription(PushSubscription)

  var address: String? {
    guard case .address(let address) = self else { return nil }
    return address
  }

  var subscription: PushSubscription? {
    guard case .subscription(let subscription) = self else { return nil }
    return subscription
  }
}
