/// The limits that both ends of the courier's socket enforce.
public enum CourierLimits {
  /// Maximum body size of a request or response in bytes; in Base64, with the headers, it fits a frame.
  public static let maximumBody = 700 * 1024
  /// Maximum total size of a request's headers in bytes.
  public static let maximumHeaderBytes = 64 * 1024
  /// Maximum number of headers of a request.
  public static let maximumHeaders = 64
  /// Maximum number of requests in flight.
  public static let maximumUnderWay = 64
  /// Maximum duration of a request.
  public static let maximumTimeout: Duration = .seconds(40)
  /// Maximum number of redirects awaited at the same time.
  public static let maximumListeners = 64
  /// Maximum number of redirects awaited for one owner; an owner cannot have more concurrent sign-ons.
  public static let maximumListenersPerOwner = 4
  /// Length of the digest of a `state` in bytes, SHA-256.
  public static let stateDigest = 32
  /// Maximum time to wait for a redirect.
  public static let maximumListening: Duration = .seconds(600)
  /// Maximum number of simultaneous subscriptions.
  public static let maximumSubscriptions = 64
  /// Maximum length of a subscription line in bytes.
  public static let maximumLine = 64 * 1024
  /// Maximum silence of a relay before the connection counts as lost.
  ///
  /// ntfy sends a keepalive every 45 seconds.
  public static let longestSilence: Duration = .seconds(120)
  /// Maximum length of a redirect's path in bytes.
  public static let maximumPath = 1024
  /// Maximum length of a redirect's query in bytes.
  public static let maximumQuery = 8 * 1024
}
