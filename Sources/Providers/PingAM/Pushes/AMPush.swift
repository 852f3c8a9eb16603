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
