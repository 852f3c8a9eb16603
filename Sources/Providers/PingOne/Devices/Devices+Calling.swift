internal import Approvals
internal import ControlAPI
internal import EventLoop
internal import JSONRPC

extension Devices {
  /// Calls the platform as an identity.
  ///
  /// If the device's keys were rotated during the call, repeats the call with the new keys. If the platform
  /// no longer knows the device, resets the identity.
  public func call<R>(
    _ identity: Identity,
    _ body: @EventLoop (DeviceService, DeviceCredentials) async throws -> R
  ) async throws -> R {
    do { return try await callWithCurrentKeys(identity, body) } catch PlatformError.unknownKey {
      // If the new platform keys cannot be stored, this throws the storage error.
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
      // The owner may have been erased meanwhile.
      guard let asked = try self.identity(identity.id) else { throw RPCError.noSuch("device") }
      do { return try await body(service, try credentials(of: asked)) } catch PlatformError.deviceUnknown {
        let current = try self.identity(asked.id)
        guard let device = asked.deviceID, let current, current.deviceID == device else {
          throw PlatformError.deviceUnknown
        }
        // A rotation, perhaps begun during this call, may explain the error: the platform may already know
        // only the next key pair. Finishing the rotation shows which pair it knows.
        if current.keyID == asked.keyID, current.nextKeyID != nil { _ = try await finishRotation(of: asked) }
        let now = try self.identity(asked.id)
        guard let now, now.deviceID == device, now.keyID != asked.keyID else {
          forget(asked, knownAs: device)
          throw PlatformError.deviceUnknown
        }
      }
    }
  }

  /// Submits a decision as the identity that received the request.
  ///
  /// Throws `Refusal` if the platform did not take the decision. After any other error, the outcome is
  /// unknown.
  func handIn<R>(
    _ request: ApprovalRequest,
    _ body: @EventLoop (DeviceService, DeviceCredentials) async throws -> R
  ) async throws -> R {
    // The owner may have been erased meanwhile, or the platform may have forgotten the device.
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

/// The data with which a device calls its platform: its identity, its keys and the platform.
public struct DeviceCredentials: Sendable {
  public let identity: Identity
  public let keys: IdentityKeys
  public let platform: PlatformRecord
  /// True if the identity still exists; its owner may be erased during a call.
  let isThere: @EventLoop @Sendable () -> Bool
  /// Fetches and stores the platform's keys; returns true if they have changed.
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
