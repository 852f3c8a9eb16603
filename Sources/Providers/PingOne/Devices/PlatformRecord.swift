public import EventLoop
public import JOSE
internal import SQLite
public import Time
internal import Vault
public import WebAddress

/// What is known of a platform: its keys, its clock, and whether it can be reached.
@EventLoop
public final class PlatformRecord {
  /// The base URL of its device service.
  public nonisolated let url: WebURL
  /// How many seconds its clock is ahead of this machine's; `nil` until heard.
  public var clockOffset: Int?
  /// Whether the last request got a response; `nil` before the first.
  public var isReachable: Bool? {
    didSet { if oldValue == false, isReachable == true { whenReachableAgain() } }
  }
  /// When it last answered.
  public var lastContact: Timestamp?
  /// Is called when it answers again.
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

  /// What it announced last, as far as that is trusted now; `nil` until it was met.
  ///
  /// Throws: why it cannot be read, which may be otherwise later.
  func announced() throws -> PlatformKeySet? {
    if let known { return known }
    let announced = try read()
    known = .some(announced)
    return announced
  }

  /// What it announced last; `nil` also while that cannot be read.
  public var held: PlatformKeySet? { (try? announced()) ?? nil }

  public var keys: [JWK] { held?.keys ?? [] }

  public var keysVersion: Int { held?.version ?? 0 }

  /// Lets the keys be read again.
  func forgetKeys() { known = nil }
}

// Rows of `platform_key_set`: what platforms announced last, as they signed it. It is sealed, so that whoever can write
// into the file without the key-encryption key makes no platform of their own.

extension IdentityTable {
  /// What a platform announced last, if it is vouched for; a set that is not counts as none.
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
