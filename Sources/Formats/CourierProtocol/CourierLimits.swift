/// What both sides of the courier's socket keep to.
public enum CourierLimits {
  /// The largest body of a request or a response: with base64 and headers it still fits a frame.
  public static let maximumBody = 700 * 1024
  /// The most header bytes of a request.
  public static let maximumHeaderBytes = 64 * 1024
  /// The most headers of a request.
  public static let maximumHeaders = 64
  /// The most requests under way.
  public static let maximumUnderWay = 64
  /// The longest time for one request.
  public static let maximumTimeout: Duration = .seconds(40)
  /// The most redirects that are waited for at a time.
  public static let maximumListeners = 64
  /// The most of them for one owner, who has no more sign-ons.
  public static let maximumListenersPerOwner = 4
  /// The bytes of the digest of a `state`, SHA-256.
  public static let stateDigest = 32
  /// The longest time that a redirect is waited for.
  public static let maximumListening: Duration = .seconds(600)
  /// The most subscriptions at a time.
  public static let maximumSubscriptions = 64
  /// The longest line of a subscription, in bytes.
  public static let maximumLine = 64 * 1024
  /// How long a relay may say nothing before it is taken to be gone; ntfy says every 45 seconds that it is there.
  public static let longestSilence: Duration = .seconds(120)
  /// The longest path of a redirect, in bytes.
  public static let maximumPath = 1024
  /// The longest query of a redirect, in bytes.
  public static let maximumQuery = 8 * 1024
}
