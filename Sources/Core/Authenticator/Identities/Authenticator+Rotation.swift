internal import Configuration
internal import ControlAPI
internal import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal
package import Time

extension Authenticator {
  private static let keyLifetime = 365 * 86_400
  private static let rotationInterval = Duration.seconds(86_400)

  /// Gives an owner new keys with every platform that trusts them; returns when the last was confirmed.
  ///
  /// One that does not confirm them holds up no other; it is gone on with by the next call, or by itself.
  package func rotateKeys(of owner: uid_t) async throws -> Timestamp {
    var latest = time.now()
    var failure: (any Error)?
    for identity in try requireTrustedIdentities(of: owner) {
      do { latest = try await rotateKeys(identity) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return latest
  }

  /// Rotates keys that are a year old, and finishes rotations that were interrupted, now and every day.
  package func startRotating() {
    let due = time.now().adding(seconds: -Self.keyLifetime)
    let identities = (try? identities()) ?? []
    for identity in identities where identity.deviceID != nil {
      guard identity.nextKeys != nil || identity.keysMadeAt < due else { continue }
      EventLoop.task { [weak self] in
        do {
          try await self?.auditing(.rotateKeys, of: identity.deviceID ?? identity.id, owner: identity.owner) {
            _ = try await self?.rotateKeys(identity)
          }
        } catch {
          Journal.warning("keys could not be rotated, which is tried again", ["uid": identity.owner])
        }
      }
    }
    after(Self.rotationInterval) { [weak self] in self?.startRotating() }
  }

  /// One rotation of an identity at a time; who asks meanwhile waits for the same.
  private func rotateKeys(_ identity: Identity) async throws -> Timestamp {
    if identity.nextKeys == nil, rotations[identity.id] == nil {
      try store.setNextKeys(try IdentityKeys.generate(), of: identity)
    }
    return try await finishRotation(identity)
  }

  /// Asks the platform to take the keys that are stored already, and goes over to them once it has.
  ///
  /// A crash before or after its answer leaves both pairs on the disk, and asking again is harmless. A platform
  /// that took them, and has seen a proof by them since, does not know the old key any more: then the new one asks.
  func finishRotation(_ identity: Identity) async throws -> Timestamp {
    if let running = rotations[identity.id] { return try await running.value }
    let task = EventLoop.task { [self] in
      defer { rotations[identity.id] = nil }
      guard let next = identity.nextKeys, let device = identity.deviceID else { return identity.keysMadeAt }
      do { try await announce(next, of: identity) } catch {
        if case PlatformError.refused = error { try store.dropNextKeys(of: identity) }
        if case PlatformError.deviceUnknown = error { forget(identity, knownAs: device) }
        throw error
      }
      let now = time.now()
      try store.adoptNextKeys(of: identity, at: now)
      Journal.info("keys rotated", ["uid": identity.owner, "geo": identity.geography])
      return now
    }
    rotations[identity.id] = task
    return try await task.value
  }

  private func announce(_ next: IdentityKeys, of identity: Identity) async throws(PlatformError) {
    do {
      try await platform.rotateKeys(identity, to: next, provenBy: identity.keys)
    } catch {
      guard error == .deviceUnknown else { throw error }
      // A platform that knows the new key does not know the old one: nothing that it says now takes the new one back.
      do { try await platform.rotateKeys(identity, to: next, provenBy: next) } catch {
        guard case .refused = error else { throw error }
      }
    }
  }
}
