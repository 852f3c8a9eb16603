internal import Approvals
internal import ControlAPI
internal import EventLoop
internal import JSONRPC

extension Devices {
  /// Asks the platform as an identity.
  ///
  /// A call that crossed a rotation of the device's keys is made again with the new ones; a device that the platform does
  /// not know any more is forgotten here too.
  public func call<R>(
    _ identity: Identity,
    _ body: @EventLoop (DeviceService, DeviceCredentials) async throws -> R
  ) async throws -> R {
    do { return try await callWithCurrentKeys(identity, body) } catch PlatformError.unknownKey {
      // If new keys cannot be stored, that is why.
      _ = try await refreshKeys(of: platform(identity.url))
      throw PlatformError.failed(.notPlatform)
    }
  }

  private func callWithCurrentKeys<R>(
    _ identity: Identity,
    _ body: @EventLoop (DeviceService, DeviceCredentials) async throws -> R
  ) async throws -> R {
    while true {
      if identity.isTrusted { try await requireKeys(of: platform(identity.url)) }
      // Its owner may have been erased meanwhile.
      guard let asked = try self.identity(identity.id) else { throw RPCError.noSuch("device") }
      do { return try await body(service, try credentials(of: asked)) } catch PlatformError.deviceUnknown {
        let current = try self.identity(asked.id)
        guard let device = asked.deviceID, let current, current.deviceID == device else {
          throw PlatformError.deviceUnknown
        }
        // Which of two pairs of keys the platform knows, only its word can say; the second may be newer than the call.
        if current.keyID == asked.keyID, current.nextKeyID != nil { _ = try await finishRotation(of: asked) }
        let now = try self.identity(asked.id)
        guard let now, now.deviceID == device, now.keyID != asked.keyID else {
          forget(asked, knownAs: device)
          throw PlatformError.deviceUnknown
        }
      }
    }
  }

  /// Asks the platform of the identity that a request came to; what it refuses is its word that nothing was decided.
  func handIn<R>(
    _ request: ApprovalRequest,
    _ body: @EventLoop (DeviceService, DeviceCredentials) async throws -> R
  ) async throws -> R {
    // Its owner may have been erased meanwhile, or the platform may have forgotten the device.
    guard let identity = try identity(request.source) else { throw Refusal(.notFound) }
    guard identity.isTrusted else { throw Refusal(.notPaired) }
    do { return try await call(identity, body) } catch let error as PlatformError {
      switch error {
      case .refused, .deviceUnknown, .elsewhere: throw Refusal(error.rpcError)
      case .unreachable, .unknownKey, .failed, .clockOff: throw error
      }
    }
  }

  func credentials(of identity: Identity) throws -> DeviceCredentials {
    let platform = platform(identity.url)
    return DeviceCredentials(
      identity: identity,
      keys: try keys(of: identity),
      platform: platform,
      isThere: { [weak self] in (try? self?.identity(identity.id)) != nil },
      refreshPlatformKeys: { [weak self] in (try? await self?.refreshKeys(of: platform)) ?? false }
    )
  }
}

/// What a device speaks with: who it is, the keys that prove it, and the platform that it speaks to.
public struct DeviceCredentials: Sendable {
  public let identity: Identity
  public let keys: IdentityKeys
  public let platform: PlatformRecord
  /// Whether it is still there: its owner may be erased while it is asked for something.
  let isThere: @EventLoop @Sendable () -> Bool
  /// Asks the platform for its keys and stores them; returns whether they are others now.
  let refreshPlatformKeys: @EventLoop @Sendable () async -> Bool

  public init(
    identity: Identity,
    keys: IdentityKeys,
    platform: PlatformRecord,
    isThere: @escaping @EventLoop @Sendable () -> Bool,
    refreshPlatformKeys: @escaping @EventLoop @Sendable () async -> Bool
  ) {
    (self.identity, self.keys, self.platform) = (identity, keys, platform)
    (self.isThere, self.refreshPlatformKeys) = (isThere, refreshPlatformKeys)
  }
}
