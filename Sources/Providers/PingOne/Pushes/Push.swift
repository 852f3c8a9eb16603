internal import ControlAPI
public import JOSE
public import JSON
internal import Journal
internal import OpenSSL
internal import Text
internal import Time

/// A verified push; its only initializer verifies the signature, the issuer, the audience and the times.
struct Push: Sendable {
  /// The purpose of a push.
  enum Kind: String, Sendable, JournalWord {
    case authentication, cancel, silent, test
  }

  /// The reason why a push is rejected, for the journal.
  enum Rejection: String, Error, Equatable, JournalWord {
    case notCompact, type, signature, claims, issuer, audience, expired, notYetValid
  }

  let id: String
  let kind: Kind
  let user: String
  let environment: String
  let content: NotificationObject.Content
  /// Time to answer the push, in seconds from its receipt.
  let timeout: Int
  /// The ID of the push to cancel, if this push is a cancellation.
  let cancels: String?
  let expiresAt: Timestamp

  /// The exact `typ` of a push.
  static let type = "push+jwt"

  static let leeway = 60
  private static let longestTimeout = 600

  /// Verifies the signature of a push with the platform's keys, and its issuer, audience and times.
  init(
    verifying token: CompactJWS,
    keys: JWKSet,
    issuer: String,
    audience: String,
    now: Timestamp
  ) throws(Rejection) {
    guard token.header.type == Self.type else { throw .type }
    let claims: JSONObject
    do { claims = try token.verified(with: keys, allowing: [.es256]).claims() } catch { throw .signature }
    guard claims["iss"]?.string == issuer else { throw .issuer }
    guard claims["aud"]?.string == audience else { throw .audience }
    guard let issued = claims["iat"]?.int, let expiry = claims["exp"]?.int, issued >= 0, expiry > issued,
      expiry - issued <= 86_400
    else { throw .claims }
    // Add the leeway to the current time, because adding it to a time in the token could overflow.
    guard expiry >= now.seconds - Self.leeway else { throw .expired }
    guard issued <= now.seconds + Self.leeway else { throw .notYetValid }
    guard let id = claims["jti"]?.string, id.isIdentifier, let user = claims["sub"]?.string,
      let environment = claims["env"]?.string, let kind = claims["type"]?.string.flatMap(Kind.init(rawValue:))
    else { throw .claims }
    (self.id, self.kind, self.user, self.environment) = (id, kind, user, environment)
    cancels = claims["cancels"]?.string
    guard kind != .cancel || cancels.map(\.isIdentifier) == true else { throw .claims }
    let asked = claims["timeout"]?.int ?? Self.longestTimeout
    timeout = max(1, min(asked, expiry - issued, Self.longestTimeout))
    expiresAt = Timestamp(seconds: expiry)
    guard let content = Self.content(of: claims) else { throw .claims }
    self.content = content
  }

  private static func content(of claims: JSONObject) -> NotificationObject.Content? {
    var content = NotificationObject.Content()
    content.title = claims["title"]?.string.map { DisplayText.clean($0) }
    content.body = claims["body"]?.string.map { DisplayText.clean($0, maximum: DisplayText.bodyLength) }
    content.category = claims["category"]?.string.map { DisplayText.clean($0) }
    content.clientContext = claims["clientContext"]?.bounded
    content.applicationContext = claims["applicationContext"]?.bounded
    guard let matching = claims["numberMatching"] else { return content }
    guard let type = matching["type"]?.string, ["SELECT_NUMBER", "ENTER_MANUALLY"].contains(type) else {
      return nil
    }
    content.numberMatching = type
    if type == "SELECT_NUMBER" { content.numberOptions = options(of: matching) }
    return content
  }

  /// Returns the valid numbers among the first `mostOptions` options.
  private static func options(of matching: JSON) -> [Int]? {
    matching["options"]?.array?.prefix(mostOptions).compactMap(\.int).filter(MatchedNumber.range.contains)
  }

  private static let mostOptions = 10
}

/// Finds a push in the payload of a transport.
public enum PushEnvelope {
  /// Returns the push in a payload, bare or in `message`, `data` or `aps`; `nil` if there is none.
  public static func push(in payload: JSON, depth: Int = 0) -> CompactJWS? {
    switch payload {
    case .string(let text):
      if let token = try? CompactJWS(parsing: text) { return token.header.type == Push.type ? token : nil }
      // Some transports deliver the object as text.
      guard depth < deepest, let inner = try? JSON(parsing: text), inner.object != nil else { return nil }
      return push(in: inner, depth: depth + 1)
    case .object(let object):
      guard depth < deepest else { return nil }
      for name in ["message", "data", "aps"] {
        if let found = object[name].flatMap({ push(in: $0, depth: depth + 1) }) { return found }
      }
      return nil
    default: return nil
    }
  }

  private static let deepest = 3
}

/// The text of a push that the user saw when deciding.
///
/// The decision contains its hash, so that the platform can compare it with the text that it sent.
enum ShownText {
  /// Returns the hash of title, body and number options, one per line.
  ///
  /// None of them contains a newline, because displayed text has no control characters.
  static func digest(of content: NotificationObject.Content) throws -> String {
    let numbers = (content.numberOptions ?? []).map(String.init).joined(separator: ",")
    let text = [content.title ?? "", content.body ?? "", numbers].joined(separator: "\n")
    return Base64URL.encode(try OpenSSL.digest(Array(text.utf8), .sha256))
  }
}
