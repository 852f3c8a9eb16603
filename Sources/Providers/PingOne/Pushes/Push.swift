internal import ControlAPI
public import JOSE
public import JSON
internal import Journal
internal import OpenSSL
internal import Text
internal import Time

/// A push that has been verified; there is no way to read one that has not.
struct Push: Sendable {
  /// What a push does.
  enum Kind: String, Sendable, JournalWord {
    case authentication, cancel, silent, test
  }

  /// Why a push is not taken; the journal says it.
  enum Rejection: String, Error, Equatable, JournalWord {
    case notCompact, type, signature, claims, issuer, audience, expired, notYetValid
  }

  let id: String
  let kind: Kind
  let user: String
  let environment: String
  let content: NotificationObject.Content
  /// The seconds in which it can be answered, from its receipt.
  let timeout: Int
  /// The push that a cancellation takes away.
  let cancels: String?
  let expiresAt: Timestamp

  /// The `typ` of a push, exactly.
  static let type = "push+jwt"

  static let leeway = 60
  private static let longestTimeout = 600

  /// Verifies a push: its signature by a key of the platform, its audience and its times.
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
    // The leeway goes with the clock: added to what a token says, it could overflow.
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

  /// The numbers to choose from: a few, and each one that an approval could give.
  private static func options(of matching: JSON) -> [Int]? {
    matching["options"]?.array?.prefix(mostOptions).compactMap(\.int).filter(MatchedNumber.range.contains)
  }

  private static let mostOptions = 10
}

/// Finds the push within what a transport delivered.
public enum PushEnvelope {
  /// The push in a payload: bare, or under `message`, `data` or `aps`; `nil` if there is none.
  public static func push(in payload: JSON, depth: Int = 0) -> CompactJWS? {
    switch payload {
    case .string(let text):
      if let token = try? CompactJWS(parsing: text) { return token.header.type == Push.type ? token : nil }
      // Some transports hand the object on as text.
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

/// What a person saw of a push when they decided, as a decision tells it: by a hash, so that the platform can tell
/// whether it was what it sent.
enum ShownText {
  /// The hash of title, body and the numbers to choose from, a line each.
  ///
  /// None of them has a line in it: what is shown has no control characters left.
  static func digest(of content: NotificationObject.Content) throws -> String {
    let numbers = (content.numberOptions ?? []).map(String.init).joined(separator: ",")
    let text = [content.title ?? "", content.body ?? "", numbers].joined(separator: "\n")
    return Base64URL.encode(try OpenSSL.digest(Array(text.utf8), .sha256))
  }
}
