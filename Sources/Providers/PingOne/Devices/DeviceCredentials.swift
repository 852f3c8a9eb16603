/// What a device speaks with: who it is, the keys that prove it, and the platform that it speaks to.
package struct DeviceCredentials: Sendable {
  package let identity: Identity
  package let keys: IdentityKeys
  package let platform: PlatformRecord

  package init(identity: Identity, keys: IdentityKeys, platform: PlatformRecord) {
    (self.identity, self.keys, self.platform) = (identity, keys, platform)
  }
}
