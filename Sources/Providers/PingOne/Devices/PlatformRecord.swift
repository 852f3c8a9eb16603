public import EventLoop
public import JOSE
internal import SQLite
public import Time
internal import Vault
public import WebAddress

/// The state of a platform: its keys, its clock, and its reachability.
@EventLoop
public final class PlatformRecord {
  /// The base URL of its device service.
  public nonisolated let url: WebURL
  /// Number of seconds by which the platform's clock is ahead of this machine's clock.
  ///
  /// It is `nil` until the first verified response.
  public var clockOffset: Int?
  /// True if the last request got a response; `nil` before the first request.
  public var isReachable: Bool? {
    didSet { if oldValue == false, isReachable == true { whenReachableAgain() } }
  }
  /// The time of its last response.
  public var lastContact: Timestamp?
  /// Called when it becomes reachable again.
  private let whenReachableAgain: @EventLoop () -> Void
  private let read: @EventLoop () throws -> PlatformKeySet?
  private var known: PlatformKeySet??

  public init(
    url: WebURL,
    whenReachableAgain: @escaping @EventLoop () -> Void,
    keys: @escaping @EventLoop () throws -> PlatformKeySet?
  ) {
    (self.url, self.whenReachableAgain, read) = (url, whenReachableAgain, keys)
  }

  /// Returns the stored key set; `nil` if none is stored, or if keys are pinned and none of them signed it.
  ///
  /// Throws an error if the set cannot be read, which may be temporary.
  func announced() throws -> PlatformKeySet? {
    if let known { return known }
    let announced = try read()
    known = .some(announced)
    return announced
  }

  /// The key set from `announced()`; `nil` also if it cannot be read.
  public var held: PlatformKeySet? { (try? announced()) ?? nil }

  public var keys: [JWK] { held?.keys ?? [] }

  public var keysVersion: Int { held?.version ?? 0 }

  /// Discards the cached keys, so that they are read again.
  func forgetKeys() { known = nil }
}

// Rows of `platform_key_set`: the latest signed key sets of platforms. They are sealed, so that an attacker
// with write access to the database cannot insert keys.

extension IdentityTable {
  /// Returns the last announced keys of a platform, or `nil` if they are missing or not authenticated.
  func platformKeys(of url: WebURL, pinned: Set<String>) throws -> PlatformKeySet? {
    let row = try vault.database.row(
      "SELECT key_set FROM platform_key_set WHERE platform = ?",
      .text(url.text)
    ) { $0.blob(0) }
    guard let row else { return nil }
    let announcement = try vault.sealer.unlessDamaged("platform keys", of: 0) {
      try vault.sealer.open(row, as: Self.label(url))
    }
    return announcement.flatMap { try? PlatformKeySet(verifying: $0, held: nil, pinned: pinned) }
  }

  func setPlatformKeys(of url: WebURL, to found: PlatformKeySet) throws {
    let sealed = try vault.sealer.seal(found.announcement, as: Self.label(url))
    try vault.write {
      try $0.run(
        "INSERT OR REPLACE INTO platform_key_set (platform, key_set) VALUES (?, ?)",
        .text(url.text),
        .blob(sealed)
      )
    }
  }

  private static func label(_ url: WebURL) -> SealLabel {
    SealLabel("platform.key_set", row: url.text, owner: 0)
  }
}
