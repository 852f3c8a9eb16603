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
  /// A platform that fails does not block the others. Its rotation resumes with the next call or
  /// automatically.
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
    // The rotation presents new answer keys, and the platform accepts the keys presented to it. Require an
    // unlocked owner.
    guard try core.vault.sealer.isOpen(identity.owner) else { throw RPCError.locked }
    if let current = current(identity), current.nextKeyID == nil, !rotations.isRunning(identity.ownedKey) {
      try table.setNextKeys(try IdentityKeys.generate(), of: current)
    }
    return try await finishRotation(of: identity)
  }

  /// Asks the platform to accept the stored new keys and then switches to them.
  ///
  /// After a crash both pairs are on the disk and the request can be repeated. A platform that has accepted
  /// the new keys and seen a proof by them does not know the old key. Then the new key signs the request.
  func finishRotation(of identity: Identity) async throws -> Timestamp {
    try await rotations.run(identity.ownedKey, changing: core.vault) { [self] in
      guard let current = current(identity), let nextID = current.nextKeyID, let device = current.deviceID
      else {
        return identity.keysMadeAt
      }
      let next = try keys(of: current, id: nextID)
      // Without the answer key there is nothing to ask the platform.
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

  /// Makes the platform accept the new keys and see a proof by them before the old ones are deleted.
  ///
  /// Until then, a delayed request with abandoned keys could replace them. If that happened between the two
  /// steps, the keys are announced again. The new keys are dropped only if the platform refuses them and does
  /// not know them. Otherwise it may have seen a proof that a previous run sent.
  private func announce(_ next: IdentityKeys, of identity: Identity) async throws {
    let credentials = try credentials(of: identity)
    for _ in 0..<2 {
      let byOld = try await refusal(of: next, provenBy: credentials.keys, credentials)
      let byNew = try await refusal(of: next, provenBy: next, credentials)
      switch (byOld, byNew) {
      case (_, nil): return
      case (.deviceUnknown, .deviceUnknown): throw PlatformError.deviceUnknown
      // A refusal to the new key shows that the platform knows this key. Keep it.
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
