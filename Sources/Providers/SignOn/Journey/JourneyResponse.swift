internal import CourierProtocol
internal import JSON
internal import Text

/// What the server responds to a step of a journey.
enum JourneyResponse: Sendable {
  case step(JSON)
  /// The end; without a session, if none was wanted.
  case done(JourneySession?)

  /// Reads a response; throws the reason if the journey is over without success.
  init(_ response: CourierResponse) throws {
    if (300..<400).contains(response.status) { throw SignOnFailure.redirected }
    if response.status >= 500 { throw SignOnFailure.serverError }
    let document = try response.document
    if (400..<500).contains(response.status) { throw Self.failure(document) }
    guard response.status == 200 else { throw SignOnFailure.malformed }
    if document["authId"] != nil {
      self = .step(document)
    } else if let session = JourneySession(document) {
      self = .done(session)
    } else {
      guard document["successUrl"]?.string != nil, document["tokenId"] == nil else {
        throw SignOnFailure.malformed
      }
      self = .done(nil)
    }
  }

  /// Whether it is a step with a callback of this type.
  func asks(for type: String) -> Bool {
    guard case .step(let document) = self else { return false }
    return document["callbacks"]?.array?.contains { $0["type"]?.string == type } == true
  }

  /// Why the server ends a journey: what it was answered is spent, so that it has to be started again.
  private static func failure(_ document: JSON) -> SignOnFailure {
    let message = document["message"]?.string ?? ""
    // A search for a text within another would bring all of the library's regular expressions into the program.
    if message.split(whereSeparator: { !$0.isLetter }).contains(where: { $0 == unknownSuspension }) {
      return SignOnFailure("SUSPENSION_EXPIRED", "the link is not valid any more")
    }
    let detail = document["detail"]
    let code = detail?["errorCode"].flatMap { $0.string ?? $0.int.map(String.init) }
    if code == "110" || document["code"] == 1999 || document["code"] == "1999" { return .sessionExpired }
    var text = message.isEmpty ? SignOnFailure.refused(nil).message : Callback.line(message, maximum: 200)
    if let policies = PolicyRule.message(of: PolicyRule.failures(detail?["failedPolicyRequirements"])) {
      text = Callback.line("\(text): \(policies)")
    }
    return SignOnFailure(cause(document, code), text)
  }

  /// The stable name of a failure: the server's own where that looks like one.
  private static func cause(_ document: JSON, _ code: String?) -> String {
    if document["code"] == "requestTimedOut" { return "TIMED_OUT" }
    guard let code, (1...64).contains(code.utf8.count),
      code.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") })
    else { return "LOGIN_FAILED" }
    return code.uppercased()
  }

  private static let unknownSuspension = "SuspendedAuthSessionException"
}

/// A session that a journey ended with.
struct JourneySession: Sendable, Equatable {
  /// What it is known by.
  let token: String
  private let successURL: String?
  private let realm: String?

  private static let longestToken = 8192

  /// Reads the end of a journey, and equally what was kept of it; `nil` without a session.
  init?(_ json: JSON) {
    // What no header can carry would be kept, and be in the way of every later journey.
    guard let token = json["tokenId"]?.string, (1...Self.longestToken).contains(token.utf8.count),
      CourierHeader("Session", token).isSendable
    else { return nil }
    self.token = token
    (successURL, realm) = (json["successUrl"]?.string, json["realm"]?.string)
  }

  /// Whether a session is over, by the status of the response to the request to end it: it may have been over before.
  static func isOver(after status: Int) -> Bool { (200..<300).contains(status) || status == 401 }

  /// The session as it is kept.
  var json: JSON {
    var object: JSONObject = ["tokenId": .string(token)]
    object["successUrl"] = successURL.map { .string($0) }
    object["realm"] = realm.map { .string($0) }
    return .object(object)
  }
}
