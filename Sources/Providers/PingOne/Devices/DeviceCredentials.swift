internal import EventLoop

/// What a device speaks with: who it is, the keys that prove it, and the platform that it speaks to.
package struct DeviceCredentials: Sendable {
  package let identity: Identity
  package let keys: IdentityKeys
  package let platform: PlatformRecord
  /// Whether it is still there: its owner may be erased while it is asked for something.
  let isThere: @EventLoop @Sendable () -> Bool

  package init(
    identity: Identity,
    keys: IdentityKeys,
    platform: PlatformRecord,
    isThere: @escaping @EventLoop @Sendable () -> Bool
  ) {
    (self.identity, self.keys, self.platform, self.isThere) = (identity, keys, platform, isThere)
  }
}
