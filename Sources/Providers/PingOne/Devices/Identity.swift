package import Configuration
package import Glibc
package import Time
internal import Vault
package import WebAddress

/// What one owner is to the platform of one geography, a device with two keys, as it was when it was read.
package struct Identity: Sendable, Equatable {
  package let id: String
  package let owner: uid_t
  package let geography: Geography
  /// The base URL of the platform's device service.
  package let url: WebURL
  /// Whether it is for the geography that its owner configured; others come with pairing keys of elsewhere.
  package let isPrimary: Bool
  /// The RFC 7638 thumbprint of its device key.
  package let keyID: String
  /// That of a rotation which the platform has not confirmed yet.
  package let nextKeyID: String?
  package let keysMadeAt: Timestamp
  /// The id that the platform gave; `nil` until trust is established.
  package let deviceID: String?
  /// The issuers that the platform announced.
  package let issuers: [String]
  /// Whether the platform knows how pushes reach this device.
  package let isPushRegistered: Bool
  /// Where the fetching of pushes is resumed.
  package let cursor: String?

  package var isTrusted: Bool { deviceID != nil }

  var ownedKey: OwnedKey { OwnedKey(id, of: owner) }
}
