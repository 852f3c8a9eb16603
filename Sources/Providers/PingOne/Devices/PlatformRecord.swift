package import EventLoop
package import JOSE
package import Time
package import WebAddress

/// The keys that a platform signs and decrypts with, and the version of their set.
package struct PlatformKeys: Sendable {
  /// Empty until the platform was met.
  package let keys: [JWK]
  /// It never goes down from one set to the next.
  package let version: Int

  package init(keys: [JWK], version: Int) { (self.keys, self.version) = (keys, version) }
}

/// What is known of a platform: its keys, its clock, and whether it can be reached.
@EventLoop
package final class PlatformRecord {
  /// The base URL of its device service.
  package nonisolated let url: WebURL
  /// How many seconds its clock is ahead of this machine's; `nil` until heard.
  package var clockOffset: Int?
  /// Whether the last request got a response; `nil` before the first.
  package var isReachable: Bool?
  /// When it last answered.
  package var lastContact: Timestamp?
  private let read: @EventLoop () -> PlatformKeys
  private var known: PlatformKeys?

  package init(url: WebURL, keys: @escaping @EventLoop () -> PlatformKeys) { (self.url, read) = (url, keys) }

  /// The keys as they are stored.
  package var held: PlatformKeys {
    if let known { return known }
    let held = read()
    known = held
    return held
  }

  package var keys: [JWK] { held.keys }

  package var keysVersion: Int { held.version }

  /// Lets the keys be read again.
  func forgetKeys() { known = nil }
}
