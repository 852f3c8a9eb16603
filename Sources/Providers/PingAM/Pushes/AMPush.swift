internal import AMEnrolments
internal import ControlAPI
internal import JOSE
internal import JSON
internal import Journal
internal import OATHExports
internal import OpenSSL
internal import Text
internal import Time

/// A push of a PingAM server that has been verified; there is no way to read one that has not.
struct AMPush: Sendable {
  /// What a person has to do to approve.
  enum Kind: String, Sendable {
    case standard = "default"
    case challenge, biometric
  }

  /// Why a push is not taken; the journal says it.
  enum Rejection: String, Error, Equatable, JournalWord {
    case signature, claims, mechanism
  }

  let challenge: [UInt8]
  let cookie: AMCookie?
  let kind: Kind
  let content: NotificationObject.Content
  /// The identity's name at the server, if it says so.
  let user: String?
  /// When it was sent, by the server's clock, if it says so.
  let sentAt: Timestamp?
  /// The seconds in which it can be answered.
  let lifetime: Int

  /// How far clocks may be apart.
  static let leeway = 60
  private static let lifetimes = 1...3600
  private static let standardLifetime = 120
  private static let mostOptions = 10

  /// Verifies a push over the text as it came, before anything of it is read.
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

  /// Different numbers, each one that an approval could give.
  private static func options(_ text: String) -> [Int]? {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Int($0) }.filter(MatchedNumber.range.contains)
    guard (1...mostOptions).contains(words.count), numbers.count == words.count,
      Set(numbers).count == numbers.count
    else { return nil }
    return numbers
  }

  /// The seconds that are left to answer, from now: until its end by the server's clock, which may be off a little, but
  /// no longer than it lasts from its receipt.
  func secondsLeft(at now: Timestamp) -> Int {
    guard let sentAt else { return lifetime }
    // A clock that is far off must not overflow.
    guard abs(sentAt.seconds - now.seconds) < 1 << 40 else { return sentAt > now ? lifetime : 0 }
    return min(lifetime, sentAt.seconds + lifetime + Self.leeway - now.seconds)
  }
}

/// The claims of a push, which are all texts: one of digits stays a text, and JSON is within one.
private struct AMPushClaims {
  private let claims: JSONObject

  private static let known = ["c", "d", "i", "k", "l", "m", "n", "p", "t", "u", "x"]
  private static let deepest = 16

  init(_ claims: JSONObject) { self.claims = claims }

  /// Whether every claim that is known is a text.
  fileprivate var areTexts: Bool { Self.known.allSatisfy { claims[$0].map { $0.string != nil } ?? true } }

  /// The text of a claim; an empty one is none.
  subscript(_ name: String) -> String? { claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// The object in the text of a claim, to be handed on; `nil` if there is none or nothing in it.
  func embedded(_ name: String) -> JSON? {
    guard let text = self[name], let json = try? JSON(parsing: text, maximumDepth: Self.deepest),
      let object = json.object, !object.isEmpty
    else { return nil }
    return json.bounded
  }
}

/// What answers to a push need of it, as it lies beside the push.
struct AMPushDetails {
  let challenge: [UInt8]
  let cookie: AMCookie?
  /// Whether it is approved only by somebody whom this machine has recognized.
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

  /// By what the push is known whatever id it comes under, since nothing that the server signs says which is its own.
  var mark: String { get throws { Base64.encode(try digest(challenge, .sha256)) } }

  var stored: JSON {
    var object: JSONObject = [
      "challenge": .string(Base64.encode(challenge)), "needsPresence": .bool(needsPresence),
    ]
    object["cookie"] = (cookie?.text).map { .string($0) }
    return .object(object)
  }
}

/// What a transport delivered of a PingAM server: a token that is not verified, and the id that answers name it by.
///
/// The id is signed by nobody; one that was changed on its way makes the server refuse the answer.
struct AMPushEnvelope {
  let messageID: String
  let token: CompactJWS
  /// The token as it came.
  private let text: String

  /// The longest token: the server's limits leave room for less.
  private static let longest = 16 * 1024
  private static let deepest = 3

  /// As it is kept, in the shape in which it is found.
  var stored: JSON { ["messageId": .string(messageID), "message": .string(text)] }

  /// Finds it in a payload; `nil` if there is none.
  ///
  /// It is a token as `message`, or as `data` of `aps`, with `messageId` beside it; further within, or in a text.
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
