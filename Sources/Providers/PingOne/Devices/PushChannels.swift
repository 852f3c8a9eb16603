public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import Journal
internal import Vault

/// The push channels of all owners, and their registration at the platforms.
@EventLoop
public final class PushChannels {
  let devices: Devices
  /// The receiver of pushes on this machine itself.
  public var receiver = PushReceiver.none
  private var followers: [@EventLoop (uid_t) throws -> Void] = []
  private let isUsedByOtherServers: @EventLoop (uid_t) throws -> Bool
  private var changes: [uid_t: Int] = [:]
  private let updates = SingleFlight<OwnedKey, Bool>()
  private var backOffs: [OwnedKey: BackOff] = [:]
  private var retries: Set<OwnedKey> = []

  /// Creates the channels.
  ///
  /// `isUsedByOtherServers` returns true if servers other than platforms use an owner's token. Such an owner
  /// can set the token without a platform.
  public init(devices: Devices, isUsedByOtherServers: @escaping @EventLoop (uid_t) throws -> Bool) {
    (self.devices, self.isUsedByOtherServers) = (devices, isUsedByOtherServers)
    devices.whenTrusted { [weak self] in try? await self?.register($0) }
    devices.core.owners.whenErased { [weak self] in self?.forget($0) }
  }

  /// Calls a handler when an owner's push channel has changed.
  public func whenChanged(_ handler: @escaping @EventLoop (uid_t) throws -> Void) {
    followers.append(handler)
  }

  /// Returns the owners that have chosen a provider.
  public func owners(by provider: PushProvider) throws -> [uid_t] { try devices.table.owners(by: provider) }

  /// Returns the token of an owner's provider even if pushes are not allowed; `nil` if it cannot be unsealed.
  public func storedToken(of owner: uid_t) throws -> String? {
    try devices.core.vault.sealer.unlessDamaged("push token", of: owner) {
      try devices.table.pushToken(of: owner)
    }.flatMap { $0 }
  }

  /// Returns the token for pushes, or `nil` if pushes are not allowed or need no token.
  public func token(of owner: uid_t) throws -> String? {
    try channel(of: owner).isAllowed ? devices.table.pushToken(of: owner) : nil
  }

  public func channel(of owner: uid_t) throws -> PushChannel { try devices.table.pushChannel(of: owner) }

  /// Sets another push transport and notifies all platforms; notifies unreachable platforms later.
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

  /// Allows or disallows pushes and notifies all platforms; notifies unreachable platforms later.
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

  /// Sends the push channel to a platform, unless the platform already knows it.
  func register(_ identity: Identity) async throws {
    guard let current = devices.current(identity), !current.isPushRegistered else { return }
    _ = try await update(current)
  }

  /// Sends the push channel to a platform; returns true if the platform can send pushes.
  ///
  /// An identity's updates run one at a time, so that the platform receives the newest channel last.
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
    // If the channel changed meanwhile, that change has its own update.
    if change == changes[identity.owner], let current = devices.current(identity), current.deviceID == device
    {
      try devices.table.setPushRegistered(true, current)
    }
    Journal.debug(
      "the platform knows the push channel",
      ["geo": identity.geography, "provider": channel.provider, "uid": identity.owner]
    )
    return isEnabled
  }

  /// Schedules a retry, unless one is already scheduled.
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

/// The parts of this machine that receive pushes from a relay.
public struct PushReceiver: Sendable {
  /// True if this machine can supply a token for a provider.
  public let offers: @EventLoop @Sendable (PushProvider) -> Bool
  /// Returns the token for an owner's choice of a provider: `given`, or one that this machine creates.
  ///
  /// It is called in the transaction of each choice, so that it can remove the data of the previous choice.
  public let choose: @EventLoop @Sendable (PushProvider, _ given: String?, uid_t) throws -> String?
  /// Returns the place where senders publish an owner's pushes, if this machine receives them.
  public let place: @EventLoop @Sendable (uid_t) throws -> PushPlace?

  public init(
    offers: @escaping @EventLoop @Sendable (PushProvider) -> Bool,
    choose: @escaping @EventLoop @Sendable (PushProvider, _ given: String?, uid_t) throws -> String?,
    place: @escaping @EventLoop @Sendable (uid_t) throws -> PushPlace?
  ) {
    (self.offers, self.choose, self.place) = (offers, choose, place)
  }

  /// A receiver without any provider.
  static let none = PushReceiver(
    offers: { _ in false },
    choose: { _, given, _ in given },
    place: { _ in nil }
  )
}

/// The place where senders publish pushes for an owner.
public enum PushPlace: Sendable, Equatable {
  /// A URL for unencrypted pushes.
  case address(String)
  /// A subscription for pushes that are encrypted for the owner.
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
