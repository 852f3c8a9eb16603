internal import Configuration
internal import ControlAPI
internal import EventLoop
public import Glibc
internal import JSONRPC
internal import Journal
public import Time
internal import Vault

extension Devices {
  private static let keyLifetime = 365 * 86_400
  private static let rotationInterval = Duration.seconds(86_400)

  /// Gives an owner new keys with every platform that trusts them; returns when the last was confirmed.
  ///
  /// One that does not confirm them holds up no other; it is resumed by the next call, or by itself.
  public func rotateKeys(of owner: uid_t) async throws -> Timestamp {
    var latest = core.time.now()
    var failure: (any Error)?
    for identity in try requireTrusted(of: owner) {
      do { latest = try await rotateKeys(of: identity) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return latest
  }

  /// Rotates keys that are a year old, and finishes rotations that were interrupted, now and every day.
  ///
  /// Those of an owner who is locked then are rotated when they are unlocked.
  public func startRotating() {
    EventLoop.task { [self] in
      do { try await eachTrusted(pausing: .seconds(1)) { try rotateIfDue($0) } } catch {
        Journal.warning("keys that are due are rotated tomorrow", ["reason": "\(error)"])
      }
    }
    core.after(Self.rotationInterval) { [weak self] in self?.startRotating() }
  }

  func rotateWhatIsDue(of owner: uid_t) {
    do { for identity in try trusted(of: owner) { try rotateIfDue(identity) } } catch {
      Journal.warning("keys that are due are rotated tomorrow", ["reason": "\(error)"])
    }
  }

  private func rotateIfDue(_ identity: Identity) throws {
    let due = core.time.now().adding(seconds: -Self.keyLifetime)
    guard identity.nextKeyID != nil || identity.keysMadeAt < due, try !core.vault.isLocked(identity.owner)
    else {
      return
    }
    rotateInBackground(identity)
  }

  private func rotateInBackground(_ identity: Identity) {
    EventLoop.task { [weak self] in
      do {
        try await self?.core.audit.following(
          AutomaticAction("rotateKeys"),
          of: identity.deviceID ?? identity.id,
          owner: identity.owner
        ) { _ = try await self?.rotateKeys(of: identity) }
      } catch {
        Journal.warning("keys could not be rotated, which is tried again", ["uid": identity.owner])
      }
    }
  }

  /// One rotation of an identity at a time; who asks meanwhile waits for the same.
  private func rotateKeys(of identity: Identity) async throws -> Timestamp {
    // New answer keys are shown to the platform, which takes them at hand.
    guard try core.vault.sealer.isOpen(identity.owner) else { throw RPCError.locked }
    if let current = current(identity), current.nextKeyID == nil, !rotations.isRunning(identity.ownedKey) {
      try table.setNextKeys(try IdentityKeys.generate(), of: current)
    }
    return try await finishRotation(of: identity)
  }

  /// Asks the platform to take the keys that are stored already, and goes over to them once it has.
  ///
  /// A crash before or after its response leaves both pairs on the disk, and asking again is harmless. A platform
  /// that took them, and has seen a proof by them since, does not know the old key any more: then the new one asks.
  func finishRotation(of identity: Identity) async throws -> Timestamp {
    try await rotations.run(identity.ownedKey, changing: core.vault) { [self] in
      guard let current = current(identity), let nextID = current.nextKeyID, let device = current.deviceID
      else {
        return identity.keysMadeAt
      }
      let next = try keys(of: current, id: nextID)
      // Nothing is refused by the platform that it is not asked.
      guard next.hasAnswer else { throw RPCError.locked }
      do {
        try await announce(next, of: current)
      } catch {
        if case PlatformError.deviceUnknown = error { forget(current, knownAs: device) }
        throw error
      }
      let now = core.time.now()
      try table.adoptNextKeys(of: current, at: now)
      Journal.info("keys rotated", ["uid": identity.owner, "geo": identity.geography])
      return now
    }
  }

  /// Has the platform take the new keys, and see a proof by them before the old ones go.
  ///
  /// Until it has, a request with keys that were given up, which is late on its way, would put those in their place.
  /// When one did, between the two, the keys are announced once more. Only keys that it refuses and does not know are given
  /// up: of others it may have a proof, which another life sent.
  private func announce(_ next: IdentityKeys, of identity: Identity) async throws {
    let credentials = try credentials(of: identity)
    for _ in 0..<2 {
      let byOld = try await refusal(of: next, provenBy: credentials.keys, credentials)
      let byNew = try await refusal(of: next, provenBy: next, credentials)
      switch (byOld, byNew) {
      case (_, nil): return
      case (.deviceUnknown, .deviceUnknown): throw PlatformError.deviceUnknown
      // Whom it refuses it knows: nothing that it says now takes the new keys back.
      case (.deviceUnknown, _): return
      case (nil, .deviceUnknown): continue
      case (let refusal?, .deviceUnknown):
        try table.dropNextKeys(of: identity)
        throw refusal
      case (_, let refusal?): throw refusal
      }
    }
    throw PlatformError.failed(.notPlatform)
  }

  /// Why the platform does not take new keys, if it does not: it refuses, or does not know those that prove them.
  private func refusal(
    of next: IdentityKeys,
    provenBy keys: IdentityKeys,
    _ credentials: DeviceCredentials
  ) async throws(PlatformError) -> PlatformError? {
    do { try await service.rotateKeys(credentials, to: next, provenBy: keys) } catch {
      switch error {
      case .refused, .deviceUnknown: return error
      default: throw error
      }
    }
    return nil
  }
}
