package import EventLoop
package import JOSE
package import Time
package import WebAddress

/// What is known of a platform: its keys, its clock, and whether it can be reached.
@EventLoop
package final class PlatformRecord {
  /// The base URL of its device service.
  package nonisolated let url: WebURL
  /// How many seconds its clock is ahead of this machine's; `nil` until heard.
  package var clockOffset: Int?
  /// Whether the last request got a response; `nil` before the first.
  package var isReachable: Bool? {
    didSet { if oldValue == false, isReachable == true { whenReachableAgain() } }
  }
  /// When it last answered.
  package var lastContact: Timestamp?
  /// Is called when it answers again.
  private let whenReachableAgain: @EventLoop () -> Void
  private let read: @EventLoop () throws -> PlatformKeySet?
  private var known: PlatformKeySet??

  package init(
    url: WebURL,
    whenReachableAgain: @escaping @EventLoop () -> Void = {},
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
  package var held: PlatformKeySet? { (try? announced()) ?? nil }

  package var keys: [JWK] { held?.keys ?? [] }

  package var keysVersion: Int { held?.version ?? 0 }

  /// Lets the keys be read again.
  func forgetKeys() { known = nil }
}
