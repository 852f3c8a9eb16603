package import Configuration
package import EventLoop
package import Glibc
package import JOSE
package import Time
package import WebAddress

/// What one owner is to the platform of one geography: a device with two keys.
@EventLoop
package final class Identity {
  /// Its id in the store.
  package nonisolated let id: String
  package nonisolated let owner: uid_t
  /// Which geography it is for.
  package nonisolated let geography: Geography
  /// The platform, shared by all identities that talk to it.
  package let platform: PlatformRecord
  /// Whether it is for the geography that its owner configured; others come with pairing keys of elsewhere.
  package internal(set) var isPrimary: Bool
  package internal(set) var keys: IdentityKeys
  /// The keys of a rotation that the platform has not confirmed yet.
  package internal(set) var nextKeys: IdentityKeys?
  /// When its keys were made.
  package internal(set) var keysMadeAt: Timestamp
  /// The id that the platform gave; `nil` until trust is established.
  package internal(set) var deviceID: String?
  /// The issuers that the platform announced.
  package internal(set) var issuers: [String]
  /// Whether the platform knows how pushes reach this device.
  package internal(set) var isPushRegistered: Bool
  /// Where the fetching of pushes goes on.
  package internal(set) var cursor: String?

  init(
    id: String,
    owner: uid_t,
    geography: Geography,
    platform: PlatformRecord,
    keys: IdentityKeys,
    keysMadeAt: Timestamp
  ) {
    (self.id, self.owner, self.geography, self.platform) = (id, owner, geography, platform)
    (self.keys, self.keysMadeAt) = (keys, keysMadeAt)
    (isPrimary, isPushRegistered, issuers) = (false, false, [])
  }
}

/// What is known of a platform: its keys, its clock, and whether it can be reached.
@EventLoop
package final class PlatformRecord {
  /// The base URL of its device service.
  package nonisolated let url: WebURL
  /// The keys that it signs and decrypts with; empty until it was met.
  package internal(set) var keys: [JWK]
  /// The version of its key set, which never goes down.
  package internal(set) var keysVersion: Int
  /// How many seconds its clock is ahead of this machine's; `nil` until heard.
  package var clockOffset: Int?
  /// Whether the last request got an answer; `nil` before the first.
  package var isReachable: Bool?
  /// When it last answered.
  package var lastContact: Timestamp?

  init(url: WebURL, keys: [JWK], keysVersion: Int) {
    (self.url, self.keys, self.keysVersion) = (url, keys, keysVersion)
  }
}
