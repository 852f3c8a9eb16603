package import ControlAPI
internal import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal

extension Authenticator {
  private static let shortestBackOff = Duration.seconds(1)
  private static let longestBackOff = Duration.seconds(300)

  /// Takes another transport for pushes and tells every platform; one that cannot be told now is told later.
  package func setPushToken(_ wish: DeviceSetPushToken, owner: uid_t) async throws -> PushChannelReport {
    let token = wish.token.flatMap { $0.isEmpty ? nil : $0 }
    guard wish.environment == nil || wish.provider == .apns else {
      throw RPCError.invalidParameter("environment")
    }
    guard token == nil || wish.provider != .poll else { throw RPCError.invalidParameter("token") }
    guard token != nil || wish.provider == .poll else { throw RPCError.deviceTokenMissing }
    _ = try await requireIdentity(of: owner)
    try store.setPushProvider(
      wish.provider,
      token: token,
      environment: wish.provider == .apns ? wish.environment ?? .production : nil,
      of: owner
    )
    return try await tellChangedPushChannel(of: owner)
  }

  /// Allows pushes or not, and tells every platform; one that cannot be told now is told later.
  package func setPushAllowed(_ isAllowed: Bool, owner: uid_t) async throws -> PushChannelReport {
    _ = try await requireIdentity(of: owner)
    try store.setPushAllowed(isAllowed, of: owner)
    return try await tellChangedPushChannel(of: owner)
  }

  private func tellChangedPushChannel(of owner: uid_t) async throws -> PushChannelReport {
    let identities = try trustedIdentities(of: owner)
    pushChanges[owner, default: 0] += 1
    for identity in identities { identity.isPushRegistered = false }
    try followPushChannel(of: owner)
    let tellings = identities.map { identity in
      (identity.geography, EventLoop.task { [self] in try await tellPushChannel(identity) })
    }
    var isEnabled = try store.pushChannel(of: owner).isEnabled
    var errors: [GeographyError] = []
    for (geography, telling) in tellings {
      do { isEnabled = try await telling.value && isEnabled } catch let error as PlatformError {
        errors.append(GeographyError(geography, error.rpcError))
      }
    }
    return PushChannelReport(isPushEnabled: isEnabled, errors: errors)
  }

  /// Fetches pushes or stops fetching them, as the owner's channel is now.
  private func followPushChannel(of owner: uid_t) throws {
    if try store.pushChannel(of: owner).isPolled { return try resumePolling() }
    for identity in try trustedIdentities(of: owner) {
      pollers.removeValue(forKey: identity.id)?.cancel()
    }
  }

  /// Tells a platform how pushes come, unless it knows.
  func registerPush(_ identity: Identity) async throws {
    guard !identity.isPushRegistered, isInUse(identity) else { return }
    _ = try await tellPushChannel(identity)
  }

  /// Tells a platform how pushes come and returns whether it can send any.
  ///
  /// One telling at a time, so that the last that a platform hears is the newest.
  private func tellPushChannel(_ identity: Identity) async throws -> Bool {
    while let running = pushTellings[identity.id] { _ = await running.result }
    let task = EventLoop.task { [self] in
      defer { pushTellings[identity.id] = nil }
      return try await sendPushChannel(identity)
    }
    pushTellings[identity.id] = task
    do {
      let isEnabled = try await task.value
      pushBackOffs[identity.id] = nil
      return isEnabled
    } catch {
      if error as? PlatformError == .unreachable || error as? PlatformError == .failed {
        tellPushChannelLater(identity)
      }
      throw error
    }
  }

  private func sendPushChannel(_ identity: Identity) async throws -> Bool {
    let (change, device) = (pushChanges[identity.owner], identity.deviceID)
    let channel = try store.pushChannel(of: identity.owner)
    let token = try store.pushToken(of: identity.owner)
    let isEnabled = try await ask(identity) {
      try await $0.setPushChannel(identity, channel, token: token)
    }
    // What changed meanwhile is told by whoever changed it.
    if change == pushChanges[identity.owner], device == identity.deviceID {
      try store.setPushRegistered(identity)
    }
    Journal.debug(
      "the platform knows how pushes come",
      ["geo": identity.geography, "provider": channel.provider, "uid": identity.owner]
    )
    return isEnabled
  }

  /// Tries again after a while; of several such wishes one is enough.
  private func tellPushChannelLater(_ identity: Identity) {
    guard pushRetries.insert(identity.id).inserted else { return }
    let delay = pushBackOffs[identity.id] ?? Self.shortestBackOff
    pushBackOffs[identity.id] = min(delay * 2, Self.longestBackOff)
    after(delay + .milliseconds(Int.random(in: 0...500))) { [weak self] in
      self?.pushRetries.remove(identity.id)
      EventLoop.task { _ = try? await self?.registerPush(identity) }
    }
  }
}
