/// What both sides of the courier's socket keep to.
package enum CourierLimits {
  /// The largest body of a request or a response: with base64 and headers it still fits a frame.
  package static let maximumBody = 700 * 1024
  /// The most header bytes of a request.
  package static let maximumHeaderBytes = 64 * 1024
  /// The most headers of a request.
  package static let maximumHeaders = 64
  /// The most requests under way.
  package static let maximumUnderWay = 64
  /// The longest time for one request.
  package static let maximumTimeout: Duration = .seconds(40)
  /// The most redirects that are waited for at a time.
  package static let maximumListeners = 64
  /// The most of them for one owner, who has no more sign-ons.
  package static let maximumListenersPerOwner = 4
  /// The bytes of the digest of a `state`, SHA-256.
  package static let stateDigest = 32
  /// The longest time that a redirect is waited for.
  package static let maximumListening: Duration = .seconds(600)
  /// The most subscriptions at a time.
  package static let maximumSubscriptions = 64
  /// The longest line of a subscription, in bytes.
  package static let maximumLine = 64 * 1024
  /// How long a relay may say nothing before it is taken to be gone; ntfy says every 45 seconds that it is there.
  package static let longestSilence: Duration = .seconds(120)
  /// The longest path of a redirect, in bytes.
  package static let maximumPath = 1024
  /// The longest query of a redirect, in bytes.
  package static let maximumQuery = 8 * 1024
}
