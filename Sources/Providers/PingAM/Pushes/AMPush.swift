internal import AMEnrolments
internal import ControlAPI
internal import JOSE
internal import JSON
internal import Journal
internal import OATHExports
internal import OpenSSL
internal import Text
internal import Time

/// A verified push from a PingAM server; its only initializer verifies it.
struct AMPush: Sendable {
  /// The input that an approval requires.
  enum Kind: String, Sendable {
    case standard = "default"
    case challenge, biometric
  }

  /// The reason why a push is rejected, for the journal.
  enum Rejection: String, Error, Equatable, JournalWord {
    case signature, claims, mechanism
  }

  let challenge: [UInt8]
  let cookie: AMCookie?
  let kind: Kind
  let content: NotificationObject.Content
  /// The user's name at the server, if the push contains it.
  let user: String?
  /// The sending time on the server's clock, if the push contains it.
  let sentAt: Timestamp?
  /// Number of seconds from the sending of the push until its end, at most 3600.
  let lifetime: Int

  /// Maximum clock difference in seconds.
  static let leeway = 60
  private static let lifetimes = 1...3600
  private static let standardLifetime = 120
  private static let mostOptions = 10

  /// Verifies the signature over the unchanged token text before reading any claim.
  init(verifying token: CompactJWS, by secret: Secret, mechanism: String) throws(Rejection) {
    let claims: AMPushClaims
    do {
      claims = AMPushClaims(try token.verified(with: JWK(secret), allowing: [.hs256]).claims())
    } catch { throw .signature }
    guard claims.areTexts, let challenge = claims["c"].flatMap({ Base64.decode($0) }),
      (1...256).contains(challenge.count)
    else { throw .claims }
    guard claims["u"] == mechanism else { throw .mechanism }
    self.challenge = challenge
    cookie = try claims["l"].map { text throws(Rejection) in
      guard let cookie = AMCookie(encoded: text) else { throw .claims }
      return cookie
    }
    user = claims["d"].flatMap { $0.utf8.count <= 512 ? $0 : nil }
    kind = claims["k"].flatMap(Kind.init(rawValue:)) ?? .standard
    sentAt = claims["i"].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : Timestamp(milliseconds: $0) }
    let lifetime = claims["t"].flatMap { Int($0) } ?? Self.standardLifetime
    self.lifetime = min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
    var content = NotificationObject.Content()
    content.body = claims["m"].map { DisplayText.clean($0, maximum: DisplayText.bodyLength) }
    content.clientContext = claims.embedded("p")
    content.applicationContext = claims.embedded("x")
    if kind == .challenge {
      guard let options = claims["n"].flatMap(Self.options) else { throw .claims }
      (content.numberMatching, content.numberOptions) = ("SELECT_NUMBER", options)
    }
    self.content = content
  }

  /// Parses a list of distinct numbers in the range of approvals, or returns `nil`.
  private static func options(_ text: String) -> [Int]? {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Int($0) }.filter(MatchedNumber.range.contains)
    guard (1...mostOptions).contains(words.count), numbers.count == words.count,
      Set(numbers).count == numbers.count
    else { return nil }
    return numbers
  }

  /// Returns the number of seconds left to answer at the time of receipt.
  ///
  /// The push ends `lifetime` plus the leeway after `sentAt`, but at most `lifetime` after its receipt.
  func secondsLeft(at now: Timestamp) -> Int {
    guard let sentAt else { return lifetime }
    // Prevent an overflow if a clock is far off.
    guard abs(sentAt.seconds - now.seconds) < 1 << 40 else { return sentAt > now ? lifetime : 0 }
    return min(lifetime, sentAt.seconds + lifetime + Self.leeway - now.seconds)
  }
}

/// The claims of a push, which are all strings, including numbers and embedded JSON.
private struct AMPushClaims {
  private let claims: JSONObject

  private static let known = ["c", "d", "i", "k", "l", "m", "n", "p", "t", "u", "x"]
  private static let deepest = 16

  init(_ claims: JSONObject) { self.claims = claims }

  /// True if every known claim is a string.
  fileprivate var areTexts: Bool { Self.known.allSatisfy { claims[$0].map { $0.string != nil } ?? true } }

  /// Returns the text of a claim, or `nil` if it is missing or empty.
  subscript(_ name: String) -> String? { claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the JSON object in the text of a claim, bounded in size; `nil` if it is missing or empty.
  func embedded(_ name: String) -> JSON? {
    guard let text = self[name], let json = try? JSON(parsing: text, maximumDepth: Self.deepest),
      let object = json.object, !object.isEmpty
    else { return nil }
    return json.bounded
  }
}

/// The data for an answer to a push, stored with the push.
struct AMPushDetails {
  let challenge: [UInt8]
  let cookie: AMCookie?
  /// True if an approval requires user presence, verified by this machine.
  let needsPresence: Bool

  init(_ push: AMPush) {
    (challenge, cookie, needsPresence) = (push.challenge, push.cookie, push.kind == .biometric)
  }

  init?(stored json: JSON?) {
    guard let challenge = json?["challenge"]?.string.flatMap({ Base64.decode($0) }) else { return nil }
    self.challenge = challenge
    cookie = json?["cookie"]?.string.flatMap { AMCookie($0) }
    needsPresence = json?["needsPresence"]?.bool ?? false
  }

  /// A hash of the challenge; it identifies the push even if the unsigned message ID was changed.
  var mark: String { get throws { Base64.encode(try digest(challenge, .sha256)) } }

  var stored: JSON {
    var object: JSONObject = [
      "challenge": .string(Base64.encode(challenge)), "needsPresence": .bool(needsPresence),
    ]
    object["cookie"] = (cookie?.text).map { .string($0) }
    return .object(object)
  }
}

/// A PingAM push from a transport: an unverified token and the message ID for answers.
///
/// The message ID is not signed. If it was altered in transit, the server refuses the answer.
struct AMPushEnvelope {
  let messageID: String
  let token: CompactJWS
  /// The token as received.
  private let text: String

  /// Maximum length of a token; the server's limits are lower.
  private static let longest = 16 * 1024
  private static let deepest = 3

  /// The stored form, which ``found(in:depth:)`` can read.
  var stored: JSON { ["messageId": .string(messageID), "message": .string(text)] }

  /// Finds an envelope in a payload; returns `nil` if there is none.
  ///
  /// The token is in `message` or `data` of the object that contains `messageId`. This object can itself be
  /// in `aps`, `data` or `message`, also as JSON text.
  static func found(in payload: JSON, depth: Int = 0) -> AMPushEnvelope? {
    guard depth < deepest else { return nil }
    if let text = payload.string {
      guard let inner = try? JSON(parsing: text), inner.object != nil else { return nil }
      return found(in: inner, depth: depth + 1)
    }
    guard let object = payload.object else { return nil }
    if let id = object["messageId"]?.string, AMMessageID.isOne(id),
      let text = (object["message"] ?? object["data"])?.string,
      let token = try? CompactJWS(parsing: text, maximumLength: longest)
    {
      return AMPushEnvelope(messageID: id, token: token, text: text)
    }
    for name in ["aps", "data", "message"] {
      if let found = object[name].flatMap({ found(in: $0, depth: depth + 1) }) { return found }
    }
    return nil
  }
}
