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

  /// Rotates an owner's keys on all platforms that trust them and returns the time of the last confirmation.
  ///
  /// If the rotation fails at one platform, it continues at the others. The failed rotation resumes with the
  /// next call of this method or with an automatic rotation.
  public func rotateKeys(of owner: uid_t) async throws -> Timestamp {
    var latest = core.time.now()
    var failure: (any Error)?
    for identity in try requireTrusted(of: owner) {
      do { latest = try await rotateKeys(of: identity) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return latest
  }

  /// Rotates keys that are a year old and completes interrupted rotations, now and every day.
  ///
  /// For a locked owner this happens when the owner is unlocked.
  public func startRotating() {
    EventLoop.task { [self] in
      do { try await eachTrusted(pausing: .seconds(1)) { try rotateIfDue($0) } } catch {
        Journal.warning("the yearly key rotation failed; mfad retries it tomorrow", ["reason": "\(error)"])
      }
    }
    core.after(Self.rotationInterval) { [weak self] in self?.startRotating() }
  }

  func rotateWhatIsDue(of owner: uid_t) {
    do { for identity in try trusted(of: owner) { try rotateIfDue(identity) } } catch {
      Journal.warning("the yearly key rotation failed; mfad retries it tomorrow", ["reason": "\(error)"])
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
        Journal.warning("keys could not be rotated; trying again later", ["uid": identity.owner])
      }
    }
  }

  /// Runs one rotation of an identity at a time; concurrent callers wait for the same rotation.
  private func rotateKeys(of identity: Identity) async throws -> Timestamp {
    // To the platform, a proof by the device key is enough to replace the answer key. Therefore require an
    // unlocked owner here.
    guard try core.vault.sealer.isOpen(identity.owner) else { throw RPCError.locked }
    if let current = current(identity), current.nextKeyID == nil, !rotations.isRunning(identity.ownedKey) {
      try table.setNextKeys(try IdentityKeys.generate(), of: current)
    }
    return try await finishRotation(of: identity)
  }

  /// Asks the platform to accept the stored new keys and then switches to them.
  ///
  /// After a crash, both key pairs are on disk and the request can be repeated. A platform that has accepted
  /// the new keys and seen a proof by them no longer knows the old key. Then the new key proves the request.
  func finishRotation(of identity: Identity) async throws -> Timestamp {
    try await rotations.run(identity.ownedKey, changing: core.vault) { [self] in
      guard let current = current(identity), let nextID = current.nextKeyID, let device = current.deviceID
      else {
        return identity.keysMadeAt
      }
      let next = try keys(of: current, id: nextID)
      // The new answer key must sign the request. It is sealed while the owner is locked.
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

  /// Sends the new keys to the platform twice: proven by the old key, then proven by the new key.
  ///
  /// Until the second request, a delayed request of an abandoned rotation could replace the new keys. If the
  /// platform accepts the first request but does not know the new key in the second one, both are repeated
  /// once. The new keys are dropped only if the platform refuses the first request and does not know the new
  /// key. Otherwise a previous run may have completed the rotation.
  private func announce(_ next: IdentityKeys, of identity: Identity) async throws {
    let credentials = try credentials(of: identity)
    for _ in 0..<2 {
      let byOld = try await refusal(of: next, provenBy: credentials.keys, credentials)
      let byNew = try await refusal(of: next, provenBy: next, credentials)
      switch (byOld, byNew) {
      case (_, nil): return
      case (.deviceUnknown, .deviceUnknown): throw PlatformError.deviceUnknown
      // The platform refused a request that the new key proves, so it knows this key. Keep the key.
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

  /// Returns the reason if the platform refuses the new keys or does not know the proving keys; otherwise
  /// `nil`.
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
